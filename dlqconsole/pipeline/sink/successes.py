"""Statements of features about a batch's successes, in the batch's own transaction."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from dlqconsole.core import successes
from dlqconsole.core.handling.events import Identity
from dlqconsole.core.successes import Keeper, Success
from dlqconsole.processing.outcomes import Outcome, Succeeded


class HandledEvent(Protocol):
    """An event whose handler ran: from an origin, or a dead letter."""

    @property
    def event_type(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def payload(self) -> str | None: ...
    @property
    def raw(self) -> bytes | None: ...
    @property
    def outcome(self) -> Outcome | None: ...


def keep(keepers: Sequence[Keeper], items: Iterable[HandledEvent]) -> None:
    """Run the keepers' statements for the successes among these, on the connection that is lent."""
    if keepers:
        some = [
            Success(Identity(item.event_type, item.source, item.key), item.payload, item.raw, False)
            for item in items
            if isinstance(item.outcome, Succeeded)
        ]
        successes.keep(some, keepers)
