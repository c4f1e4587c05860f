"""Events that succeeded, and the features that listen to them: each may write in the same transaction."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol


class Success(NamedTuple):
    """An event whose handler succeeded, with its input. ``was_dead_letter``: it had failed before."""

    event_type: str
    source: str
    source_key: str
    payload: str | None
    payload_raw: bytes | None
    was_dead_letter: bool


# the text of a query and its parameters
type Statement = tuple[str, Mapping[str, Any]]
# runs a query without parameters, on the connection of the one who asks
type Read = Callable[[str], list[tuple[Any, ...]]]


class SuccessListener(Protocol):
    """A feature's part in each success, in consumers and in Spark's workers. It must be quick.

    It travels to Spark's workers: it can be pickled, and needs no Django.
    """

    def statements(self, successes: Sequence[Success], read: Read) -> Iterable[Statement]:
        """Return the statements to run in the transaction that records these; mostly there are none."""


def statements_for(
    listeners: Sequence[SuccessListener], successes: Iterable[Success], read: Read
) -> list[Statement]:
    """Return the statements of all listeners. Without a listener nobody looks at the successes."""
    if not listeners or not (events := list(successes)):
        return []
    return [each for listener in listeners for each in listener.statements(events, read)]
