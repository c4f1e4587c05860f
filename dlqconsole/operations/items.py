"""What the items of an operation are: dead letters, or the messages of a queue."""

from dataclasses import dataclass

from django.db.models import Model, TextChoices

from dlqconsole.engine.lifecycle.states import DeadLetterStatus, MessageStatus
from dlqconsole.operations.models import OperationItem, OperationMessage


@dataclass(frozen=True, slots=True)
class Items:
    """``noun``: one of them. ``statuses``: the states that they may be in.

    ``model`` keeps a row for each, known by ``key``; ``kept`` are the columns that freezing fills beside it,
    ``frozen`` what a page reads of them, and ``outcome`` the part of a page's UPDATE that says more than
    status and reason.
    """

    noun: str
    statuses: type[TextChoices]
    model: type[Model]
    key: str
    kept: str
    frozen: str
    outcome: str

    @property
    def table(self) -> str:
        return self.model._meta.db_table

    def put_into(self, query: str) -> str:
        """A named query that says where its items are kept by {items}, {key}, {kept}, {frozen}, {outcome}."""
        for name, words in (
            ("items", self.table),
            ("key", self.key),
            ("kept", self.kept),
            ("frozen", self.frozen),
            ("outcome", self.outcome),
        ):
            query = query.replace("{" + name + "}", words)
        return query


DEAD_LETTERS = Items(
    "dead letter",
    DeadLetterStatus,
    OperationItem,
    key="dead_letter_id",
    kept="group_id, frozen_status, frozen_version",
    frozen=", frozen_status, frozen_version",
    outcome="message_id = o.message_id, revive_seq = o.revive_seq, was = o.was",
)
MESSAGES = Items(
    "message",
    MessageStatus,
    OperationMessage,
    key="message_id",
    kept="dead_letter_id",
    # nobody changes a message: its number is its version
    frozen="",
    outcome="dead_letter_id = o.dead_letter_id",
)
