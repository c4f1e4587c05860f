"""A bulk action as rows: what was asked, over which items, and what became of each."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext

from dlqconsole.engine.counts.summaries import Count
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.processing.inputs.sentences import stored

# what the table takes as the name of a kind
KIND_NAME = "^[a-z_]{1,16}$"


def kind_choices() -> list[tuple[str, str]]:
    """Another kind needs no migration."""
    return [(kind.name, kind.title) for kind in every_kind()]


def every_kind() -> Iterator[Any]:
    """As they are registered, by way of the app: the model stands below them."""
    found: Iterator[Any] = apps.get_app_config("dlq_operations").kinds()  # type: ignore[attr-defined]
    return found


class Status(models.TextChoices):
    # accepted; the items are being frozen
    FREEZING = "freezing", _(stored("Preparing the list"))
    # frozen; waits for a second person, or for the typed count
    AWAITING = "awaiting", _("Awaiting")
    # frozen; waits for a worker, or one is at it
    RUNNING = "running", _(stored("Running"))
    # a person made it wait
    PAUSED = "paused", _(stored("Paused"))
    # too many of the canary failed again: it waits for a person
    HALTED = "halted", _(stored("Halted"))
    # stops at the next page
    CANCELLING = "cancelling", _(stored("Cancelling"))
    # stopped by a person; what was done stays done
    CANCELLED = "cancelled", _("Cancelled")
    # every item has an outcome
    COMPLETED = "completed", _("Completed")


# a worker has work with it
LIVE = (Status.FREEZING, Status.RUNNING, Status.CANCELLING)
# it is not over
OPEN = (*LIVE, Status.AWAITING, Status.PAUSED, Status.HALTED)
# every item has an outcome, and of the messages that it put on queues some wait to be handled
HANDED_OVER = "handed_over"
# its selection is a file, and a worker is at it
WRITING = "writing"
# by status, as people read it
STATUS_LABELS = {
    **dict(Status.choices),
    HANDED_OVER: _("Handed over"),
    WRITING: _("Writing the file"),
}


class ItemsKept(models.TextChoices):
    """The state of an operation's items: old ones are deleted page by page."""

    KEPT = "kept"
    LEAVING = "leaving"
    GONE = "gone"


class Approval(models.TextChoices):
    NOT_NEEDED = "none"
    NEEDED = "needed"
    GIVEN = "given"
    # nobody approved in time
    EXPIRED = "expired"


class Stage(models.IntegerChoices):
    """The stages of a canary: the probes, then larger shares."""

    PROBES = 0, _(stored("probes"))
    FIRST = 1, stored("1 %")
    SECOND = 2, stored("10 %")
    ALL = 3, "100 %"


class ItemStatus(models.TextChoices):
    REMAINING = "remaining"
    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


class Fate(models.TextChoices):
    """The fates of the view ``operation_fates``: the statuses, and those of items put on a queue."""

    REMAINING = "remaining", _("Remaining")
    DONE = "done", _("Done")
    SKIPPED = "skipped", _("Skipped")
    FAILED = "failed", _("Failed")
    UNDER_WAY = "under_way", _("Under way")
    SUCCEEDED = "succeeded", _("Succeeded")
    FAILED_AGAIN = "failed_again", _("Failed again")
    PULLED_BACK = "pulled_back", _("Pulled back")
    GONE = "gone", _("Deleted since")


class Operation(models.Model):
    """One durable bulk action; its page is the receipt."""

    request_key = models.UUIDField(unique=True)
    kind = models.CharField(max_length=16, choices=kind_choices)
    status = models.CharField(max_length=16, choices=Status, db_default=Status.FREEZING)
    actor = models.TextField()
    is_proven = models.BooleanField(db_default=False)
    reason = models.TextField()
    scope = models.CharField(max_length=8)
    ids = models.JSONField(db_default=[])
    filter = models.JSONField(db_default={})
    filter_words = models.TextField(db_default="")
    states = models.JSONField(null=True, db_default=None)
    source_operation = models.ForeignKey("self", models.PROTECT, null=True, db_default=None, related_name="+")
    source_outcome = models.CharField(max_length=16, db_default="")
    passed_operation_id = models.BigIntegerField(null=True, db_default=None)
    queue = models.CharField(max_length=255, db_default="")
    group_id = models.BigIntegerField(null=True, db_default=None)
    access_scope = models.JSONField(null=True, db_default=None)
    parameters = models.JSONField(db_default={})
    rate = models.IntegerField(null=True, db_default=None)
    paced_until = models.DateTimeField(null=True, db_default=None)
    cutoff_id = models.BigIntegerField()
    expected = models.IntegerField()
    expected_exact = models.BooleanField(db_default=True)
    selected = models.IntegerField(db_default=0)
    done = models.IntegerField(db_default=0)
    skipped = models.IntegerField(db_default=0)
    failed = models.IntegerField(db_default=0)
    frozen_to_id = models.BigIntegerField(db_default=0)
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True, db_default=None)
    finished_at = models.DateTimeField(null=True, db_default=None)
    handled_at = models.DateTimeField(null=True, db_default=None)
    owner = models.TextField(null=True, db_default=None)
    lease_token = models.UUIDField(null=True, db_default=None)
    lease_until = models.DateTimeField(null=True, db_default=None)
    adoptions = models.IntegerField(db_default=0)
    note = models.TextField(db_default="")
    approval = models.CharField(max_length=8, choices=Approval, db_default=Approval.NOT_NEEDED)
    alone_up_to = models.IntegerField(db_default=2**31 - 1)
    approver = models.TextField(db_default="")
    approved_at = models.DateTimeField(null=True, db_default=None)
    approve_until = models.DateTimeField(null=True, db_default=None)
    stage = models.SmallIntegerField(choices=Stage, null=True, db_default=None)
    probes = models.JSONField(db_default=[])
    judged_from = models.JSONField(db_default={})
    watch_until = models.DateTimeField(null=True, db_default=None)
    undo_until = models.DateTimeField(null=True, db_default=None)
    released_to_id = models.BigIntegerField(db_default=0)
    released_at = models.DateTimeField(null=True, db_default=None)
    undone_by = models.ForeignKey("self", models.SET_NULL, null=True, db_default=None, related_name="+")
    result = models.JSONField(db_default={})
    items_kept = models.CharField(max_length=8, choices=ItemsKept, db_default=ItemsKept.KEPT)

    class Meta:
        managed = False
        db_table = "operations"

    # told to somebody who does not see all of it: see visibility.py
    is_part = False
    # so many of the messages that it put on queues are still to be handled: see outcomes.py
    under_way = 0
    # what became of these, as ``MoveOutcomes``; None for a kind that puts none on queues
    moved: Any = None
    # of a part: the number of its items by fate
    fates: Mapping[str, int] = {}

    def __str__(self) -> str:
        return f"operation {self.pk}: {self.kind}"

    @property
    def remaining(self) -> int:
        """Items without an outcome yet."""
        return self.selected - self.done - self.skipped - self.failed

    @property
    def is_frozen(self) -> bool:
        """Tell whether the selection is complete."""
        return self.frozen_to_id >= self.cutoff_id

    @property
    def selection_note(self) -> str:
        """A sentence where the selection is not what the person saw when confirming; else empty."""
        if not self.is_frozen or self.selected == self.expected or not self.expected_exact:
            return ""
        return gettext(
            "{shown:,} were shown when this was confirmed; {matched:,} matched when the selection was made."
        ).format(shown=self.expected, matched=self.selected)

    @property
    def expected_words(self) -> str:
        """The count that the person confirmed."""
        return str(Count(self.expected, not self.expected_exact))

    @property
    def has_items(self) -> bool:
        """Tell whether the outcome of each item is still stored."""
        return self.items_kept == ItemsKept.KEPT and not self.has_file

    @property
    def deletes(self) -> bool:
        """Tell whether all its effects are gone; an item that does not exist any more counts as done."""
        return any(kind.deletes for kind in every_kind() if kind.name == self.kind)

    @property
    def has_file(self) -> bool:
        """Tell whether it writes a file, and keeps no items."""
        return any(kind.has_file for kind in every_kind() if kind.name == self.kind)

    @property
    def is_live(self) -> bool:
        """Tell whether a worker has, or will have, work on it."""
        return self.status in LIVE

    @property
    def word(self) -> str:
        """Its status in a word. It is over when its messages are handled."""
        if self.status == Status.FREEZING and self.has_file:
            return WRITING
        is_handed_over = self.status == Status.COMPLETED and self.under_way > 0
        return HANDED_OVER if is_handed_over else str(self.status)

    @property
    def percent(self) -> int:
        """The settled share of the selection, 0 to 100. A revived item is settled once handled."""
        if self.has_file and self.status == Status.FREEZING:
            return min(self.selected * 100 // max(self.expected, 1), 99)
        if not self.selected:
            return 0 if self.status == Status.FREEZING else 100
        return max(self.selected - self.remaining - self.under_way, 0) * 100 // self.selected


class OperationItem(models.Model):
    """One dead letter within an operation, and what became of it."""

    pk = models.CompositePrimaryKey("operation_id", "dead_letter_id")
    operation = models.ForeignKey(Operation, on_delete=models.CASCADE, db_index=False)
    dead_letter_id = models.BigIntegerField()
    status = models.CharField(max_length=16, choices=ItemStatus, db_default=ItemStatus.REMAINING)
    reason = models.TextField(db_default="")
    message_id = models.BigIntegerField(null=True, db_default=None)
    group_id = models.BigIntegerField(null=True, db_default=None)
    frozen_status = models.CharField(max_length=16, null=True, db_default=None)
    frozen_version = models.IntegerField(null=True, db_default=None)
    revive_seq = models.IntegerField(null=True, db_default=None)
    was = models.JSONField(null=True, db_default=None)

    class Meta:
        managed = False
        db_table = "operation_items"

    def __str__(self) -> str:
        return f"dead letter {self.dead_letter_id}: {self.status}"


class OperationMessage(models.Model):
    """One message of a queue within an operation, and what became of it."""

    pk = models.CompositePrimaryKey("operation_id", "message_id")
    operation = models.ForeignKey(Operation, on_delete=models.CASCADE, db_index=False)
    message_id = models.BigIntegerField()
    status = models.CharField(max_length=16, choices=ItemStatus, db_default=ItemStatus.REMAINING)
    reason = models.TextField(db_default="")
    dead_letter_id = models.BigIntegerField(null=True, db_default=None)

    class Meta:
        managed = False
        db_table = "operation_messages"

    def __str__(self) -> str:
        return f"message {self.message_id}: {self.status}"


class OperationGroup(models.Model):
    """The number of an operation's items in a failure group, counted once at its end."""

    pk = models.CompositePrimaryKey("operation_id", "group_id")
    operation = models.ForeignKey(Operation, on_delete=models.CASCADE, db_index=False)
    group_id = models.BigIntegerField(db_index=True)
    items = models.IntegerField()
    done = models.IntegerField()

    class Meta:
        managed = False
        db_table = "operation_groups"

    def __str__(self) -> str:
        return f"{self.items} of operation {self.operation_id} in group {self.group_id}"


class OperationPart(models.Model):
    """The number of an operation's items of a queue and an event type, counted as they are frozen.

    It says who may see the operation, also when its dead letters are gone.
    """

    pk = models.CompositePrimaryKey("operation_id", "queue", "event_type")
    operation = models.ForeignKey(Operation, on_delete=models.CASCADE, db_index=False)
    queue = models.CharField(max_length=255)
    event_type = models.CharField(max_length=255)
    items = models.IntegerField()

    class Meta:
        managed = False
        db_table = "operation_parts"

    def __str__(self) -> str:
        return f"{self.items} of operation {self.operation_id}: {self.event_type} on {self.queue}"


class ExportChunk(models.Model):
    """A part of an export's file; the file is offered when its operation is completed."""

    pk = models.CompositePrimaryKey("operation_id", "number")
    operation = models.ForeignKey(Operation, on_delete=models.CASCADE, db_index=False)
    number = models.IntegerField()
    start = models.BigIntegerField()
    size = models.IntegerField()
    content = models.BinaryField()

    class Meta:
        managed = False
        db_table = "export_chunks"

    def __str__(self) -> str:
        return f"part {self.number} of export {self.operation_id}"
