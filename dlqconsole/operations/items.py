"""The items of an operation: dead letters, or the messages of a queue."""

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Model

from dlqconsole.core.lifecycle.states import DeadLetterStatus, MessageStatus
from dlqconsole.operations.models import OperationItem, OperationMessage


@dataclass(frozen=True, slots=True)
class Items:
    """A sort of items. ``noun``: the word for one. ``statuses``: the states that they may be in.

    ``model`` has a row for each, with the number ``key``. Freezing fills the ``columns`` beside it, a page
    reads ``page_columns`` of them, and ``outcome`` is the part of a page's UPDATE beside status and reason.
    """

    noun: str
    statuses: type[StrEnum]
    model: type[Model]
    key: str
    columns: str
    page_columns: str
    outcome: str

    @property
    def table(self) -> str:
        return self.model._meta.db_table

    def put_into(self, query: str) -> str:
        """Put the table and its columns into a named query: {items}, {key}, {kept}, {frozen}, {outcome}."""
        for name, words in (
            ("items", self.table),
            ("key", self.key),
            ("kept", self.columns),
            ("frozen", self.page_columns),
            ("outcome", self.outcome),
        ):
            query = query.replace("{" + name + "}", words)
        return query


DEAD_LETTERS = Items(
    "dead letter",
    DeadLetterStatus,
    OperationItem,
    key="dead_letter_id",
    columns="group_id, frozen_status, frozen_version",
    page_columns=", frozen_status, frozen_version",
    outcome="message_id = o.message_id, revive_seq = o.revive_seq, was = o.was",
)
MESSAGES = Items(
    "message",
    MessageStatus,
    OperationMessage,
    key="message_id",
    columns="dead_letter_id",
    # nobody changes a message: its number is its version
    page_columns="",
    outcome="dead_letter_id = o.dead_letter_id",
)
