"""The expected end of each event, worked out from the CSV files alone: no handler, no table, no schema."""

import csv
import io
import marshal
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path

from examples.flights.source import open_table
from tests.once import once

# of the columns that are asked for, in the order in which they are named
Values = tuple[str, ...]
Outcomes = dict[tuple[str, str], str]


def expected_outcomes(*, every_plane: bool = False) -> Outcomes:
    """Map (type, id) of every event to the error's class name, or to "enriched".

    ``every_plane``: once somebody has added each plane that a flight names. Worked out once in a run.
    """
    name = "completed" if every_plane else "today"
    outcomes: Outcomes = marshal.loads((once("outcomes", _write) / name).read_bytes())  # noqa: S302 - our own
    return outcomes


def _write(folder: Path) -> None:
    """Both, for they differ in a flight's plane alone."""
    planes = {tail: _valid(values) for tail, *values in values_of("planes", "tailnum year seats")}
    measured = "origin time_hour temp dewp humid wind_speed pressure visib"
    weather = {f"{origin}/{hour}": _valid(values) for origin, hour, *values in values_of("weather", measured)}
    completed = {("aircraft.registered", tail): ending for tail, ending in planes.items()}
    completed |= {("weather.observed", place): ending for place, ending in weather.items()}
    today = dict(completed)
    airports = {code for code, _ in values_of("airports", "faa name")}
    columns = "time_hour carrier flight dep_time tailnum dest origin"
    for hour, carrier, number, left, tail, dest, origin in values_of("flights", columns):
        key = "flight.departed", f"{hour}/{carrier}/{number}"
        ending = _flight(left, dest in airports, f"{origin}/{hour}" in weather)
        completed[key] = ending
        today[key] = ending if tail in planes or ending == "FlightCancelled" else "PlaneUnknown"
    folder.mkdir(exist_ok=True)
    for name, outcomes in (("today", today), ("completed", completed)):
        (folder / name).write_bytes(marshal.dumps(outcomes))


def _flight(left: str, airport_known: bool, weather_known: bool) -> str:
    """Return how a flight ends whose plane is known."""
    if left == "NA":
        return "FlightCancelled"
    if not airport_known:
        return "AirportUnknown"
    return "enriched" if weather_known else "WeatherMissing"


def _valid(values: list[str]) -> str:
    return "SchemaViolation" if "NA" in values else "enriched"


def values_of(name: str, columns: str) -> Iterator[Values]:
    """Of each row of a table the columns that are asked for."""
    with open_table(name) as file:
        lines = csv.reader(io.TextIOWrapper(file, encoding="utf-8", newline=""))
        heading = next(lines)
        wanted = itemgetter(*(heading.index(column) for column in columns.split()))
        yield from map(wanted, lines)
