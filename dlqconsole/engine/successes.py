"""The features that listen to successes: their statements run in the transaction that records these."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.conf import settings
from django.db import connection

from dlqconsole.core.successes import Statement, Success, SuccessAt, SuccessListener, statements_for
from dlqconsole.engine.handling import HandlerResult
from dlqconsole.engine.named_sql import execute
from dlqconsole.features.successes import success_listeners


@cache
def listeners() -> tuple[SuccessListener, ...]:
    """Return those of this process."""
    return success_listeners(settings)


def success_of(
    result: HandlerResult, payload: str | None, payload_raw: bytes | None, *, was_dead_letter: bool
) -> Success:
    """Return a handler's success, with its input."""
    who = result.identity
    return Success(who.event_type, who.source, who.source_key, payload, payload_raw, was_dead_letter)


def statements_of(event_types: Sequence[str], success_at: SuccessAt) -> list[Statement]:
    """Return the statements to run with a batch of successes; asked before ``prepared.pipeline`` begins."""
    return statements_for(listeners(), event_types, success_at, _read)


def announce(successes: Sequence[Success]) -> None:
    """Run the listeners' statements, in the caller's transaction."""
    types = [success.event_type for success in successes]
    for query, values in statements_of(types, successes.__getitem__):
        execute(query, values)


def _read(query: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()
