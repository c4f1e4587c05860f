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
# gives the success at a place of a batch
type SuccessAt = Callable[[int], Success]
# runs a query without parameters, on the connection of the one who asks
type Read = Callable[[str], list[tuple[Any, ...]]]


class SuccessListener(Protocol):
    """A feature's part in each success, in consumers and in Spark's workers. It must be quick.

    It travels to Spark's workers: it can be pickled, and needs no Django.
    """

    def statements(
        self, event_types: Sequence[str], success_at: SuccessAt, read: Read
    ) -> Iterable[Statement]:
        """Return the statements to run in the transaction that records a batch; mostly there are none.

        It gets the event type of each success. ``success_at`` gives all of one, for the few that it wants.
        """


def statements_for(
    listeners: Sequence[SuccessListener], event_types: Sequence[str], success_at: SuccessAt, read: Read
) -> list[Statement]:
    """Return the statements of all listeners for a batch of successes."""
    if not event_types:
        return []
    return [each for one in listeners for each in one.statements(event_types, success_at, read)]
