"""The successes of a batch, announced to the features that listen; in the batch's own transaction."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import psycopg

from dlqconsole.core.successes import Success, SuccessListener, statements_for
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


def announce(
    connection: psycopg.Connection[Any],
    listeners: Sequence[SuccessListener],
    items: Iterable[HandledEvent],
    *,
    were_dead_letters: bool = False,
) -> None:
    """Run the listeners' statements for the successes among these."""
    good = [item for item in items if isinstance(item.outcome, Succeeded)]

    def success_at(place: int) -> Success:
        item = good[place]
        return Success(item.event_type, item.source, item.key, item.payload, item.raw, were_dead_letters)

    def read(query: str) -> list[tuple[Any, ...]]:
        return connection.execute(query.encode()).fetchall()

    types = [item.event_type for item in good]
    for text, values in statements_for(listeners, types, success_at, read):
        connection.execute(text.encode(), values)
