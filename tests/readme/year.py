"""The year that the demo loads: in `make soak` all of it, else all that fails and a twentieth of what passes.

What `examples.flights prepare` finds written, it keeps; so the smaller year is laid out for it beforehand.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import orjson

from examples.flights.source import rows as source_rows
from tests.examples.flight_data import prepared_directory
from tests.examples.flight_oracle import expected_outcomes
from tests.readme.loaded import Outcomes, Sums, Table
from tests.sizes import SOAK

# of the events that pass, one in so many; every one that fails is there
ONE_IN = 1 if SOAK else 20


@dataclass(frozen=True)
class Year:
    """``whole``: what must become of each event of 2013. ``loaded``: of those that the demo is given."""

    whole: Outcomes
    loaded: Outcomes

    @classmethod
    def of_the_csv_files(cls) -> Year:
        whole = expected_outcomes()
        passing = [event for event, outcome in whole.items() if outcome == "enriched"]
        omitted = set(passing).difference(islice(passing, 0, None, ONE_IN))
        return cls(whole, {event: outcome for event, outcome in whole.items() if event not in omitted})

    def lay_out(self, data: Path) -> None:
        """Write the events to where the demo with this data directory looks, unless that is all of them."""
        if ONE_IN == 1:
            return
        data.mkdir(mode=0o700)
        events = data / "flights" / "events"
        events.mkdir(parents=True)
        for path in (prepared_directory() / "events").iterdir():
            with path.open("rb") as lines, (events / path.name).open("wb") as kept:
                kept.writelines(line for line in lines if self._has(line))

    def _has(self, line: bytes) -> bool:
        event = orjson.loads(line)
        return (event["type"], event["id"]) in self.loaded

    def sums(self) -> Sums:
        """Flights and cancellations per day and airline, counted from the source's own rows."""
        flights: Counter[tuple[str, str]] = Counter()
        cancelled: Counter[tuple[str, str]] = Counter()
        for row in source_rows("flights"):
            if ("flight.departed", f"{row['time_hour']}/{row['carrier']}/{row['flight']}") in self.loaded:
                key = (f"{row['year']}-{int(row['month']):02}-{int(row['day']):02}", row["carrier"])
                flights[key] += 1
                cancelled[key] += row["dep_time"] in ("", "NA")
        return {key: (count, cancelled[key]) for key, count in flights.items()}


def table(outcomes: Outcomes) -> Table:
    """How many events of each type ended how."""
    return Counter((event_type, outcome) for (event_type, _), outcome in outcomes.items())
