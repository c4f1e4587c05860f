"""The year that the demo loads: in `make soak` all of it, else a fortieth of what passes.

Of the flights that fail a fifth to a tenth, and all of the plane that the README adds; of observations
and planes all that fail, for they make many groups of few.

What `examples.flights prepare` finds written, it keeps; so the smaller year is laid out for it beforehand.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from examples.flights.source import open_table
from tests.examples.flight_data import prepared_directory
from tests.examples.flight_oracle import expected_outcomes, values_of
from tests.readme.loaded import Outcomes, Sums, Table
from tests.sizes import SOAK

# of the events that end like this, one in so many; of all others every one
# the README pauses a revive of PlaneUnknown while it is under way, so there must be enough of it
FAILING = {"PlaneUnknown": 5, "FlightCancelled": 10, "AirportUnknown": 10}
ONE_IN = {} if SOAK else {"enriched": 40, **FAILING}
PLANE = "N725MQ"


@dataclass(frozen=True)
class Year:
    """``whole``: what must become of each event of 2013. ``loaded``: of those that the demo is given."""

    whole: Outcomes
    loaded: Outcomes

    @classmethod
    def of_the_csv_files(cls) -> Year:
        whole = expected_outcomes()
        theirs = set(_flights_of(PLANE))
        places = {outcome: count() for outcome in ONE_IN}
        loaded = {
            event: outcome
            for event, outcome in whole.items()
            if event in theirs or outcome not in ONE_IN or next(places[outcome]) % ONE_IN[outcome] == 0
        }
        return cls(whole, loaded)

    def sums(self) -> Sums:
        """Flights and cancellations per day and airline, counted from the source's own rows."""
        flights: Counter[tuple[str, str]] = Counter()
        cancelled: Counter[tuple[str, str]] = Counter()
        columns = "time_hour carrier flight year month day dep_time"
        for hour, carrier, number, year, month, day, left in values_of("flights", columns):
            if ("flight.departed", f"{hour}/{carrier}/{number}") in self.loaded:
                key = (f"{year}-{int(month):02}-{int(day):02}", carrier)
                flights[key] += 1
                cancelled[key] += left in ("", "NA")
        return {key: (number, cancelled[key]) for key, number in flights.items()}

    def ended(self, outcome: str) -> int:
        """How many of those that the demo is given end like this."""
        return Counter(self.loaded.values())[outcome]

    def lay_out(self, data: Path) -> None:
        """Write the events to where the demo with this data directory looks, unless that is all of them."""
        if not ONE_IN:
            return
        data.mkdir(mode=0o700)
        events = data / "flights" / "events"
        events.mkdir(parents=True)
        for path in (prepared_directory() / "events").iterdir():
            with path.open("rb") as lines, (events / path.name).open("wb") as kept:
                kept.writelines(line for line in lines if self._has(line))

    def _has(self, line: bytes) -> bool:
        # an event's first four fields stand in their order; to read all of each takes five times as long
        texts = line.decode().split('"', 16)
        kind, identity = texts[15], texts[7]
        return (kind, identity) in self.loaded


def _flights_of(plane: str) -> Iterator[tuple[str, str]]:
    with open_table("flights") as file:
        lines = [next(file), *(line for line in file if plane.encode() in line)]
    return map(_event, csv.DictReader(line.decode() for line in lines))


def _event(row: dict[str, str]) -> tuple[str, str]:
    return "flight.departed", f"{row['time_hour']}/{row['carrier']}/{row['flight']}"


def table(outcomes: Outcomes) -> Table:
    """How many events of each type ended how."""
    return Counter((event_type, outcome) for (event_type, _), outcome in outcomes.items())
