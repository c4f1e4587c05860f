"""The sections of a run. Each measures its systems in turn, again and again, in another order each time."""

from collections.abc import Iterable, Iterator, Sequence


def in_turns[Row](rows: Iterable[Row], systems: Sequence[str], repetitions: int) -> Iterator[tuple[Row, str]]:
    """Every row with every system, once a repetition; what is compared stands close together in time."""
    rows = list(rows)
    for repetition in range(repetitions):
        first = repetition % len(systems)
        for row in rows:
            for system in (*systems[first:], *systems[:first]):
                yield row, system
