"""The ledger of effects."""

from django.db import models
from django.db.models.functions import Now


class Effect(models.Model):
    """An effect of an event outside of its program; at most one of its name and key."""

    pk = models.CompositePrimaryKey("name", "key")
    name = models.CharField(max_length=255)
    key = models.CharField(max_length=1024)
    source = models.CharField(max_length=1024)
    source_key = models.CharField(max_length=1024)
    begun_at = models.DateTimeField(db_default=Now())
    done_at = models.DateTimeField(null=True, db_default=None)
    told_by = models.TextField(db_default="")

    class Meta:
        managed = False
        db_table = "event_effects"

    def __str__(self) -> str:
        return f"{self.name} {self.key}"
