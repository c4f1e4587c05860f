"""CSV rows become CloudEvents: ids from natural keys, values with their types, `NA` as null."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from .source import rows

_TEXT = frozenset(
    {"carrier", "tailnum", "origin", "dest", "time_hour", "type", "manufacturer", "model", "engine"}
)


def flight_events(source: str = "flights") -> Iterator[dict[str, Any]]:
    """336,776 flights that left New York, or should have; unique by hour, carrier and number."""
    return (flight_event(row, source) for row in rows("flights"))


def flight_event(row: dict[str, str], source: str = "flights") -> dict[str, Any]:
    """One scheduled flight; its time is the scheduled hour of departure, in UTC."""
    identity = f"{row['time_hour']}/{row['carrier']}/{row['flight']}"
    return _event(identity, source, "flight.departed", row, row["time_hour"])


def weather_events() -> Iterator[dict[str, Any]]:
    """26,115 hourly observations at the three airports."""
    for row in rows("weather"):
        identity = f"{row['origin']}/{row['time_hour']}"
        yield _event(identity, "weather", "weather.observed", row, row["time_hour"])


def aircraft_events() -> Iterator[dict[str, Any]]:
    """3,322 planes of the registry, which says nothing of time."""
    for row in rows("planes"):
        yield _event(row["tailnum"], "aircraft", "aircraft.registered", row)


def _event(
    identity: str, source: str, event_type: str, row: dict[str, str], time: str | None = None
) -> dict[str, Any]:
    event = {"specversion": "1.0", "id": identity, "source": source, "type": event_type}
    when = {} if time is None else {"time": time}
    return {**event, **when, "data": {name: _with_type(name, text) for name, text in row.items()}}


@cache  # the columns have few values each
def _with_type(name: str, text: str) -> str | int | float | None:
    if text == "NA" or text == "":
        return None
    if name in _TEXT:
        return text
    return int(text) if text.lstrip("-").isdigit() else float(text)


STREAMS: dict[str, Callable[[], Iterator[dict[str, Any]]]] = {
    "aircraft": aircraft_events,
    "weather": weather_events,
    "flights": flight_events,
}
