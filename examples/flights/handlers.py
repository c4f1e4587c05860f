"""The handlers of the events: they check each against the rules, then enrich it from four tables."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.processing import BusinessError, Event, MissingData, handler, table

from .places import data_directory
from .schemas import AIRCRAFT, FLIGHT
from .schemas import WEATHER as OBSERVATION
from .weather import Observations

NULLS = ("", "NA")

PLANES = table(
    "planes.csv",
    key="tailnum",
    directory=data_directory,
    columns=("model", "manufacturer", "seats"),
    types={"seats": int},
    null_values=NULLS,
)
AIRPORTS = table(
    "airports.csv",
    key="faa",
    directory=data_directory,
    columns=("name", "lat", "lon"),
    types={"lat": float, "lon": float},
    null_values=NULLS,
)
AIRLINES = table("airlines.csv", key="carrier", directory=data_directory)
WEATHER_SEEN = ("temp", "wind_speed", "precip", "visib")
WEATHER_BY_HOUR = table(
    "weather.csv",
    key=("origin", "time_hour"),
    directory=data_directory,
    columns=WEATHER_SEEN,
    types=dict.fromkeys(WEATHER_SEEN, float),
    null_values=NULLS,
)

WEATHER = Observations(WEATHER_BY_HOUR)

# Kept as they came: what the daily report counts and what people search for.
KEPT = (
    *("year", "month", "day", "time_hour", "carrier", "flight", "tailnum", "origin", "dest", "distance"),
    *("dep_time", "dep_delay", "arr_time", "arr_delay"),
)


class FlightCancelled(BusinessError):
    """The flight never left, so there is no departure to enrich."""


class PlaneUnknown(BusinessError):
    """The plane is not in the registry; adding it makes its flights revivable."""


class AirportUnknown(BusinessError):
    """The destination is not among the airports we know."""


class WeatherMissing(MissingData):
    """The observation for the hour of departure has not arrived (yet)."""


@handler(
    "flight.departed",
    schema=FLIGHT,
    lookups={"planes": PLANES, "airports": AIRPORTS, "airlines": AIRLINES, "weather": WEATHER},
    depends_on="weather",
    rehearsable=True,
)
def departed(event: Event, lookups: Mapping[str, Any]) -> dict[str, Any]:
    """Enrich a flight with its airline, plane, destination and weather; the first failure wins."""
    flight = event.data
    if flight["dep_time"] is None:
        raise FlightCancelled(f"flight {_name(flight)} has no departure time")
    tailnum = flight.get("tailnum")
    if not tailnum:
        raise PlaneUnknown(f"flight {_name(flight)} has no tailnum")
    plane = lookups["planes"].get(tailnum)
    if plane is None:
        raise PlaneUnknown(f"tailnum {tailnum} is not in the planes table")
    airport = lookups["airports"].get(flight["dest"])
    if airport is None:
        raise AirportUnknown(f"dest {flight['dest']} is not in the airports table")
    weather = lookups["weather"].get((flight["origin"], flight["time_hour"]))
    if weather is None:
        raise WeatherMissing(f"no observation at {flight['origin']} for {flight['time_hour']}")
    airline = lookups["airlines"].get(flight["carrier"])
    return {
        **{name: flight.get(name) for name in KEPT},
        "airline": airline and airline["name"],
        "plane": plane,
        "destination": airport,
        "weather": weather,
    }


@handler("weather.observed", schema=OBSERVATION, rehearsable=True)
def observed(event: Event, lookups: Mapping[str, Any]) -> dict[str, Any]:
    """Keep an observation that has all its measurements."""
    return dict(event.data)


@handler("aircraft.registered", schema=AIRCRAFT, rehearsable=True)
def registered(event: Event, lookups: Mapping[str, Any]) -> dict[str, Any]:
    """Keep a plane whose year and seats are known."""
    return dict(event.data)


def _name(flight: Mapping[str, Any]) -> str:
    day = f"{flight['year']}-{flight['month']:02}-{flight['day']:02}"
    # one word, as airlines write it, so that all of them are one failure group
    return f"{flight['carrier']}{flight['flight']} of {day}"
