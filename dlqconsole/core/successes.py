"""Statements of features about successful events, in the transaction that records the success."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dlqconsole.core import prepared
from dlqconsole.core.handling.events import Identity
from dlqconsole.core.named_sql import execute


class Success(NamedTuple):
    """An event whose handler succeeded, as the handler got it."""

    identity: Identity
    payload: str | None
    payload_raw: bytes | None
    was_dead_letter: bool


type Statement = tuple[str, dict[str, Any]]
type Keeper = Callable[[Sequence[Success]], list[Statement]]

_keepers: list[Keeper] = []


def keep_by(keeper: Keeper) -> None:
    """Ask this feature for statements from now on, each time that successes are recorded."""
    _keepers.append(keeper)


def statements(successes: Sequence[Success]) -> list[Statement]:
    """Return the features' statements and their values. Called before ``prepared.pipeline`` begins."""
    return [statement for keeper in _keepers for statement in keeper(successes)]


def keep(successes: Sequence[Success], keepers: Sequence[Keeper] | None = None) -> None:
    """Run the features' statements, in the caller's transaction. ``keepers``: instead of this process's."""
    if successes:
        for keeper in _keepers if keepers is None else keepers:
            for query, values in keeper(successes):
                execute(query, values)


def begin_keep(some: Sequence[Statement]) -> None:
    """Run these inside ``prepared.pipeline``: they travel with the other statements."""
    for query, values in some:
        prepared.run(query, values)
