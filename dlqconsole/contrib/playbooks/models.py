"""A standing rule of a person that asks for operations by itself; and what it did, and did not."""

from django.db import models
from django.db.models.functions import Now

from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.operations.models import Operation


class Playbook(models.Model):
    """When this happens, do that to those, within a budget: ordinary operations for the person behind it."""

    name = models.CharField(max_length=100)
    version = models.IntegerField(db_default=1)
    enabled = models.BooleanField(db_default=True)
    look = models.TextField(db_default="")
    acts_for = models.TextField()
    created_by = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())
    filter = models.JSONField()
    group_id = models.BigIntegerField(null=True, db_default=None)
    trigger = models.CharField(max_length=16)
    trigger_options = models.JSONField()
    kind = models.CharField(max_length=16)
    options = models.JSONField()
    per_hour = models.IntegerField(null=True, db_default=None)
    per_day = models.IntegerField()
    operations_per_day = models.IntegerField()
    tells_owner = models.BooleanField(db_default=True)
    turn = models.BigIntegerField(db_default=0)
    seen_open_at = models.DateTimeField(null=True, db_default=None)
    next_at = models.DateTimeField(null=True, db_default=None)
    due_at = models.DateTimeField(null=True, db_default=None)
    due_why = models.TextField(db_default="")
    edge = models.BigIntegerField(db_default=0)
    part = models.IntegerField(db_default=0)
    operation = models.ForeignKey(
        Operation, models.SET_NULL, null=True, db_default=None, related_name="+", db_index=False
    )
    held = models.TextField(db_default="")

    class Meta:
        managed = False
        db_table = "playbooks"

    def __str__(self) -> str:
        return f"playbook {self.pk}: {self.name}"

    @property
    def machine(self) -> str:
        """The actor under which it acts."""
        return f"playbook:{self.pk}"


class Outcome(models.TextChoices):
    # it asked for an operation
    ASKED = "asked", _("Asked")
    # it was due, and did nothing
    HELD = "held", _("Held")
    # it does nothing more until a person has looked
    STOPPED = "stopped", _("Stopped")


class PlaybookEntry(models.Model):
    """One thing that a playbook did, or why it did not."""

    playbook = models.ForeignKey(Playbook, models.CASCADE, db_index=False, related_name="entries")
    at = models.DateTimeField(db_default=Now())
    outcome = models.CharField(max_length=8, choices=Outcome)
    why = models.TextField()
    edge = models.BigIntegerField()
    part = models.IntegerField()
    operation = models.ForeignKey(
        Operation, models.PROTECT, null=True, db_default=None, related_name="+", db_index=False
    )
    told = models.TextField(db_default="")

    class Meta:
        managed = False
        db_table = "playbook_entries"

    def __str__(self) -> str:
        return f"{self.playbook_id}: {self.outcome}, {self.why}"
