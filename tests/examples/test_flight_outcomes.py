"""Events of the whole year, through the same function that Spark calls, against an oracle.

That each of all 366,213 ends so is told of the demo's own load in `make soak`: tests/readme/test_readme.py.
"""

from collections import Counter
from itertools import islice

import pytest

from dlqconsole.processing import Failed, attempt_payload, load_handlers

from .flight_data import prepared_directory
from .flight_oracle import expected_outcomes

TABLE = {
    ("flight.departed", "enriched"): 272_528,
    ("flight.departed", "FlightCancelled"): 8_255,
    ("flight.departed", "PlaneUnknown"): 48_550,
    ("flight.departed", "AirportUnknown"): 6_166,
    ("flight.departed", "WeatherMissing"): 1_277,
    ("weather.observed", "enriched"): 23_383,
    ("weather.observed", "SchemaViolation"): 2_732,
    ("aircraft.registered", "enriched"): 3_252,
    ("aircraft.registered", "SchemaViolation"): 70,
}


@pytest.fixture(scope="module")
def registry():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIGHTS_DATA_DIR", str(prepared_directory()))
        yield load_handlers("examples.flights.handlers")


def lines():
    for path in sorted((prepared_directory() / "events").iterdir()):
        with path.open("rb") as file:
            yield from file


def test_each_twenty_fifth_event_ends_as_the_csv_files_say(registry):
    expected = expected_outcomes()
    assert Counter((kind, outcome) for (kind, _), outcome in expected.items()) == TABLE
    wrong, seen = [], Counter()
    for line in islice(lines(), 0, None, 25):
        event, outcome = attempt_payload(registry, line, queue="flights", message_id=0)
        ended = outcome.error_class if isinstance(outcome, Failed) else "enriched"
        seen[event.type, ended] += 1
        if expected[event.type, event.id] != ended:
            wrong.append((event.id, ended))
    assert not wrong
    assert seen.keys() == TABLE.keys()
    assert sum(seen.values()) == 14_649


@pytest.mark.parametrize(
    ("line", "reason", "category"),
    [
        (
            '"carrier":"UA","flight":1545',
            "FlightCancelled: flight UA1545 of 2013-01-01 has no departure time",
            "BUSINESS",
        ),
        ('"tailnum":"N725MQ"', "PlaneUnknown: tailnum N725MQ is not in the planes table", "BUSINESS"),
        ('"dest":"SJU"', "AirportUnknown: dest SJU is not in the airports table", "BUSINESS"),
        (
            '"time_hour":"2013-01-01T05:00:00Z"',
            "WeatherMissing: no observation at JFK for 2013-01-01T05:00:00Z",
            "DEPENDENCY",
        ),
        (
            '"dep_time":"soon"',
            'SchemaViolation: dep_time: "soon" is not an integer or null',
            "PERMANENT",
        ),
    ],
)
def test_the_reason_carries_the_value_that_was_wrong(registry, line, reason, category):
    sound = (
        '"year":2013,"month":1,"day":1,"dep_time":517,"carrier":"UA","flight":1545,"tailnum":"N14228",'
        '"origin":"JFK","dest":"IAH","time_hour":"2013-01-01T10:00:00Z"'
    )
    changes = dict(_member(member) for member in line.split(","))
    if reason.startswith("FlightCancelled"):
        changes["dep_time"] = "null"
    data = {**dict(_member(member) for member in sound.split(",")), **changes}
    payload = "{" + ",".join(f'"{name}":{value}' for name, value in data.items()) + "}"
    _, outcome = attempt_payload(registry, payload, queue="flight.departed", message_id=1)
    assert (outcome.reason, outcome.category) == (reason, category)


def test_a_failed_observation_names_the_measurement(registry):
    line = next(line for line in lines() if b'"pressure":null' in line)
    _, outcome = attempt_payload(registry, line, queue="weather", message_id=1)
    assert outcome.reason == "SchemaViolation: pressure: null is not a number"


def test_an_enriched_flight_knows_its_airline_plane_destination_and_weather(registry):
    line = next(line for line in lines() if b'"id":"2013-01-01T10:00:00Z/UA/1545"' in line)
    _, outcome = attempt_payload(registry, line, queue="flights", message_id=1)
    assert outcome.record["airline"] == "United Air Lines Inc."
    assert outcome.record["plane"] == {"model": "737-824", "manufacturer": "BOEING", "seats": 149}
    assert outcome.record["destination"]["name"] == "George Bush Intercontinental"
    assert outcome.record["weather"]["temp"] == 39.02
    assert (outcome.record["dep_delay"], outcome.record["arr_delay"]) == (2, 11)


def _member(text):
    name, _, value = text.partition(":")
    return name.strip('"'), value
