"""The position in each file that the pipeline has read. It saves time; nothing else depends on it."""

from django.db import models
from django.db.models.functions import Now


class IngestedFile(models.Model):
    """Whole lines of a file whose events are in their tables."""

    place = models.UUIDField()
    family = models.UUIDField()
    root = models.TextField()
    seen_as = models.TextField()
    known_as = models.TextField()
    inode = models.BigIntegerField()
    size = models.BigIntegerField()
    modified_ns = models.BigIntegerField()
    changed_ns = models.BigIntegerField()
    whole = models.BooleanField()
    start_byte = models.BigIntegerField()
    end_byte = models.BigIntegerField()
    end_line = models.BigIntegerField()
    digest = models.UUIDField()
    run_id = models.BigIntegerField()
    created_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        managed = False
        db_table = "ingested_files"

    def __str__(self) -> str:
        return f"{self.seen_as}, lines up to {self.end_line:,}"
