"""The result of a frame."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dlqconsole.pipeline.running.terminal import summary_table

from .storing import BLANK


@dataclass(frozen=True, slots=True)
class Result:
    """The number of events of each type and ending: ("order.created", "enriched") → 7.

    An ending is ``enriched``, ``unchanged`` (known already), ``blank`` (the value was NULL), or the class of
    the error that made dead letters of them. ``run_id``: the run in the console. ``str()`` gives a table.
    """

    run_id: int
    counts: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @property
    def events(self) -> int:
        """All rows in which there was an event."""
        return sum(self.counts.values()) - self._count_of(BLANK)

    @property
    def enriched(self) -> int:
        """Events whose handler returned a record."""
        return self._count_of("enriched")

    @property
    def unchanged(self) -> int:
        """Events that were known before."""
        return self._count_of("unchanged")

    @property
    def dead_letters(self) -> int:
        """Events that failed."""
        return self.events - self.enriched - self.unchanged

    def __str__(self) -> str:
        return summary_table(self.counts)

    def _count_of(self, ending: str) -> int:
        return sum(count for (_, how), count in self.counts.items() if how == ending)
