"""The states a message and a dead letter can be in, and the moves between them.

The rule for everybody, plain SQL included, is in the database: the view ``dead_letter_transitions``. The
trigger of ``dlq_events`` asks it and refuses every other move. Here and in docs/architecture.md the same
moves stand for readers; ``tests/core/lifecycle/test_states_agree.py`` compares all three.
"""

from enum import StrEnum

from dlqconsole.processing import categories
from dlqconsole.processing.inputs.sentences import Sentence, gettext_noop

# the labels of the states and categories below, for translators
LABELS = (
    gettext_noop("Pending"), gettext_noop("Scheduled"), gettext_noop("Waiting"), gettext_noop("Held"),
    gettext_noop("Processing"), gettext_noop("Retrying"), gettext_noop("Succeeded"),
    gettext_noop("Exhausted"), gettext_noop("Revived"), gettext_noop("Discarded"),
    gettext_noop("Quarantined"), gettext_noop("Transient"), gettext_noop("Dependency"),
    gettext_noop("Permanent"), gettext_noop("Business"), gettext_noop("Unknown"),
)  # fmt: skip


class _Named(StrEnum):
    @property
    def label(self) -> str:
        """The name for a person."""
        return Sentence(self.capitalize())

    @classmethod
    def choices(cls) -> list[tuple[str, str]]:
        """Return value and label of each, for a field or a form."""
        return [(each.value, each.label) for each in cls]


class MessageStatus(_Named):
    # may be claimed now
    PENDING = "pending"
    # not before next_retry_at; kept out of the claim index until then
    SCHEDULED = "scheduled"
    # an earlier message of its group is still there
    WAITING = "waiting"
    # held back by the undo window of the operation that revived it
    HELD = "held"
    # claimed by a consumer, under a lease
    PROCESSING = "processing"


class DeadLetterStatus(_Named):
    # failed; waits for the schedule or for a person
    PENDING = "PENDING"
    # claimed, under a lease: its handler runs
    RETRYING = "RETRYING"
    # its handler succeeded in the end
    SUCCEEDED = "SUCCEEDED"
    # the schedule has used all its retries; waits for a person
    EXHAUSTED = "EXHAUSTED"
    # put back on its queue; waits for the message to complete
    REVIVED = "REVIVED"
    # a person set it aside; can be restored
    DISCARDED = "DISCARDED"
    # crashed its consumer three times, or cannot be decoded; never touched by machine
    QUARANTINED = "QUARANTINED"


class Category(_Named):
    TRANSIENT = categories.TRANSIENT
    DEPENDENCY = categories.DEPENDENCY
    PERMANENT = categories.PERMANENT
    BUSINESS = categories.BUSINESS
    UNKNOWN = categories.UNKNOWN


class GroupState(_Named):
    # somebody should look at it
    OPEN = "open"
    # a person says that it is mended
    RESOLVED = "resolved"
    # it came back after that
    REGRESSED = "regressed"
    # nobody wants to hear of it for a while
    SNOOZED = "snoozed"


S = DeadLetterStatus

MOVES: frozenset[tuple[DeadLetterStatus, DeadLetterStatus]] = frozenset(
    {
        (S.PENDING, S.RETRYING),
        (S.PENDING, S.EXHAUSTED),
        # another scheduler says so, or the system that it failed in
        (S.PENDING, S.SUCCEEDED),
        (S.EXHAUSTED, S.SUCCEEDED),
        (S.QUARANTINED, S.SUCCEEDED),
        (S.EXHAUSTED, S.RETRYING),
        (S.QUARANTINED, S.RETRYING),
        (S.RETRYING, S.SUCCEEDED),
        (S.RETRYING, S.PENDING),
        (S.RETRYING, S.EXHAUSTED),
        (S.RETRYING, S.QUARANTINED),
        (S.PENDING, S.REVIVED),
        (S.EXHAUSTED, S.REVIVED),
        (S.QUARANTINED, S.REVIVED),
        (S.REVIVED, S.SUCCEEDED),
        (S.REVIVED, S.PENDING),
        (S.REVIVED, S.EXHAUSTED),
        (S.REVIVED, S.QUARANTINED),
        (S.PENDING, S.DISCARDED),
        (S.EXHAUSTED, S.DISCARDED),
        (S.QUARANTINED, S.DISCARDED),
        (S.DISCARDED, S.PENDING),
        # a discard that is undone gives back what was there
        (S.DISCARDED, S.EXHAUSTED),
        (S.DISCARDED, S.QUARANTINED),
        # the same event failed again: what was closed is open
        (S.SUCCEEDED, S.PENDING),
        (S.SUCCEEDED, S.EXHAUSTED),
        (S.SUCCEEDED, S.QUARANTINED),
    }
)

# The states from which a person may act.
REVIVABLE = DISCARDABLE = RETRIABLE = EDITABLE = (S.PENDING, S.EXHAUSTED, S.QUARANTINED)
# The states in which a machine may act by itself: it must not retry events that stopped its workers.
HEALING = (S.PENDING, S.EXHAUSTED)
RESTORABLE = (S.DISCARDED,)
# Closed: nobody waits for them any more.
PURGEABLE = (S.DISCARDED, S.SUCCEEDED)
# The states in which a dead letter still needs somebody, or something.
OPEN = (S.PENDING, S.RETRYING, S.EXHAUSTED, S.QUARANTINED)
