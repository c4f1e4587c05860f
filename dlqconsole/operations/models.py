"""A bulk action as rows: what was asked, over which items, and what became of each."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class Kind(models.TextChoices):
    # run the handler again, here and now
    RETRY = "retry"
    # put back on the queue of origin
    REVIVE = "revive"
    # set aside, restorable
    DISCARD = "discard"
    # take back from the discarded
    RESTORE = "restore"


class Status(models.TextChoices):
    # accepted; the items are being frozen
    FREEZING = "freezing"
    # frozen; waits for a worker, or one is at it
    RUNNING = "running"
    # stops at the next page
    CANCELLING = "cancelling"
    # stopped by a person; what was done stays done
    CANCELLED = "cancelled"
    # every item has an outcome
    COMPLETED = "completed"


LIVE = (Status.FREEZING, Status.RUNNING, Status.CANCELLING)


class ItemStatus(models.TextChoices):
    REMAINING = "remaining"
    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


class Operation(models.Model):
    """One durable bulk action; its page is the receipt."""

    # made by the form: the same click twice is one operation
    request_key = models.UUIDField(unique=True)
    kind = models.CharField(max_length=16, choices=Kind)
    status = models.CharField(max_length=16, choices=Status, db_default=Status.FREEZING)
    actor = models.TextField()
    reason = models.TextField()
    # "rows": the ids in ``ids``; "filter": what the canonical ``filter`` matched when confirmed
    scope = models.CharField(max_length=8)
    ids = models.JSONField(db_default=[])
    filter = models.JSONField(db_default={})
    filter_words = models.TextField(db_default="")
    # newer dead letters are not part of it
    cutoff_id = models.BigIntegerField()
    # what the person saw when confirming
    expected = models.IntegerField()
    # False: what the person saw was an estimate, shown with "≈"
    expected_exact = models.BooleanField(db_default=True)
    selected = models.IntegerField(db_default=0)
    done = models.IntegerField(db_default=0)
    skipped = models.IntegerField(db_default=0)
    failed = models.IntegerField(db_default=0)
    # how far the freezing has come
    frozen_to_id = models.BigIntegerField(db_default=0)
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True, db_default=None)
    finished_at = models.DateTimeField(null=True, db_default=None)
    owner = models.TextField(null=True, db_default=None)
    lease_token = models.UUIDField(null=True, db_default=None)
    lease_until = models.DateTimeField(null=True, db_default=None)
    # how often another worker had to take it over
    adoptions = models.IntegerField(db_default=0)
    # what it waits for just now, in a sentence; empty while it moves
    note = models.TextField(db_default="")

    class Meta:
        db_table = "operations"
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="operations_kind"),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="operations_status"),
            models.CheckConstraint(
                condition=Q(selected__gte=models.F("done") + models.F("skipped") + models.F("failed")),
                name="operations_counts",
            ),
        ]
        indexes = [
            models.Index(
                fields=["id"], condition=Q(status__in=[str(s) for s in LIVE]), name="operations_live"
            ),
        ]

    def __str__(self) -> str:
        return f"operation {self.pk}: {self.kind}"

    @property
    def remaining(self) -> int:
        """Items without an outcome yet."""
        return self.selected - self.done - self.skipped - self.failed

    @property
    def is_frozen(self) -> bool:
        """Whether the selection is complete."""
        return self.frozen_to_id >= self.cutoff_id

    @property
    def selection_note(self) -> str:
        """A sentence where the selection is not what the person saw when confirming; else empty."""
        if not self.is_frozen or self.selected == self.expected or not self.expected_exact:
            return ""
        return (
            f"{self.expected:,} were shown when this was confirmed; {self.selected:,} matched"
            " when the selection was made."
        )

    @property
    def is_live(self) -> bool:
        """Whether a worker still has, or will have, work with it."""
        return self.status in LIVE

    @property
    def percent(self) -> int:
        """How much of the selection has an outcome, 0 to 100."""
        if not self.selected:
            return 0 if self.status == Status.FREEZING else 100
        return (self.selected - self.remaining) * 100 // self.selected


class OperationItem(models.Model):
    """One dead letter within an operation, and what became of it."""

    pk = models.CompositePrimaryKey("operation_id", "dead_letter_id")
    operation = models.ForeignKey(Operation, on_delete=models.CASCADE, db_index=False)
    dead_letter_id = models.BigIntegerField()
    status = models.CharField(max_length=16, choices=ItemStatus, db_default=ItemStatus.REMAINING)
    reason = models.TextField(db_default="")
    message_id = models.BigIntegerField(null=True, db_default=None)

    class Meta:
        db_table = "operation_items"
        constraints = [
            models.CheckConstraint(condition=Q(status__in=ItemStatus.values), name="operation_items_status"),
        ]
        indexes = [
            models.Index(
                fields=["operation", "dead_letter_id"],
                condition=Q(status="remaining"),
                name="operation_items_remaining",
            ),
            models.Index(fields=["dead_letter_id"], name="operation_items_letter"),
        ]

    def __str__(self) -> str:
        return f"dead letter {self.dead_letter_id}: {self.status}"
