"""A standing rule of a person that asks for operations by itself; and what it did, and did not."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from dlqconsole.engine.models._checks import readable
from dlqconsole.operations.models import KIND_NAME, Operation


class Playbook(models.Model):
    """When this happens, do that to those, within a budget: ordinary operations for the person behind it."""

    name = models.CharField(max_length=100)
    version = models.IntegerField(db_default=1, db_comment="one more with each change that a person makes")
    enabled = models.BooleanField(db_default=True)
    look = models.TextField(
        db_default="", db_comment="why it does nothing until a person has looked; empty: it goes on"
    )
    acts_for = models.TextField(
        db_comment="the person who made or last changed it, and answers for what it does"
    )
    created_by = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())
    filter = models.JSONField(db_comment="which dead letters, as an operation keeps it")
    group_id = models.BigIntegerField(
        null=True, db_default=None, db_comment="the failure group that the filter names"
    )
    trigger = models.CharField(max_length=16, db_comment="breaker, every, daily, or many")
    trigger_options = models.JSONField()
    kind = models.CharField(max_length=16, db_comment="of its operations")
    options = models.JSONField(db_comment="of its operations, the rate among them")
    per_hour = models.IntegerField(
        null=True, db_default=None, db_comment="dead letters in an hour of the clock; NULL: as in a day"
    )
    per_day = models.IntegerField(db_comment="dead letters in a day, UTC")
    operations_per_day = models.IntegerField()
    tells_owner = models.BooleanField(db_default=True, db_comment="the overview tells the group's owner")
    turn = models.BigIntegerField(
        db_default=0, db_comment="one more with each thing that a worker notes: two at once cannot"
    )
    seen_open_at = models.DateTimeField(
        null=True, db_default=None, db_comment="the breaker was seen open, since then"
    )
    next_at = models.DateTimeField(
        null=True, db_default=None, db_comment="when it is due, or when to look again"
    )
    due_at = models.DateTimeField(
        null=True, db_default=None, db_comment="it happened, and is not worked off; NULL: nothing is"
    )
    due_why = models.TextField(db_default="")
    edge = models.BigIntegerField(db_default=0, db_comment="how often it happened")
    part = models.IntegerField(db_default=0, db_comment="operations for the newest time it happened")
    operation = models.ForeignKey(
        Operation,
        models.SET_NULL,
        null=True,
        db_default=None,
        related_name="+",
        db_index=False,
        db_comment="its newest, until a person has looked",
    )
    held = models.TextField(db_default="", db_comment="why it does not go on just now, as it told last")

    class Meta:
        db_table = "playbooks"
        db_table_comment = (
            "A standing rule of a person: when this happens, do that to those, within a budget."
        )
        constraints = [
            models.CheckConstraint(condition=Q(kind__regex=KIND_NAME), name="playbooks_kind"),
            models.CheckConstraint(
                condition=Q(per_day__gte=1, operations_per_day__gte=1)
                & (Q(per_hour__isnull=True) | Q(per_hour__gte=1)),
                name="playbooks_budget",
            ),
            models.CheckConstraint(
                condition=Q(acts_for__regex="^user:[1-9][0-9]{0,9}$"), name="playbooks_acts_for"
            ),
            models.CheckConstraint(
                condition=readable("created_at", "updated_at", "seen_open_at", "next_at", "due_at"),
                name="playbooks_moments",
            ),
        ]

    def __str__(self) -> str:
        return f"playbook {self.pk}: {self.name}"

    @property
    def machine(self) -> str:
        """How it signs what it does by itself."""
        return f"playbook:{self.pk}"


class Outcome(models.TextChoices):
    # it asked for an operation
    ASKED = "asked"
    # it was due, and did nothing
    HELD = "held"
    # it does nothing more until a person has looked
    STOPPED = "stopped"


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
    told = models.TextField(db_default="", db_comment="the group's owner at that moment, where they are told")

    class Meta:
        db_table = "playbook_entries"
        db_table_comment = "One thing that a playbook did, or why it did not."
        constraints = [
            models.CheckConstraint(condition=Q(outcome__in=Outcome.values), name="playbook_entries_outcome"),
            models.CheckConstraint(
                condition=Q(outcome=Outcome.ASKED, operation__isnull=False) | ~Q(outcome=Outcome.ASKED),
                name="playbook_entries_operation",
            ),
            # an edge asks for each of its parts once
            models.UniqueConstraint(
                fields=["playbook", "edge", "part"],
                condition=Q(outcome=Outcome.ASKED),
                name="playbook_entries_once",
            ),
            models.CheckConstraint(condition=readable("at"), name="playbook_entries_moments"),
        ]
        indexes = [models.Index(fields=["playbook", "-id"], name="playbook_entries_newest")]

    def __str__(self) -> str:
        return f"{self.playbook_id}: {self.outcome}, {self.why}"
