"""An outage drill: the weather service is stopped, flights come all the same, it is started, and all heals.

A part of a day in each run of the tests, the whole day in `make soak`. What stands in the end is compared
with the flight table.
"""

import threading
import time
from collections import Counter
from contextlib import suppress
from functools import partial

import orjson
import pytest
from django.db import connection

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.core import messages
from dlqconsole.core.errors import LockHeld
from dlqconsole.core.flow.breakers import Rules
from dlqconsole.core.messages import NewMessage
from dlqconsole.engine import breakers
from dlqconsole.engine.models import Message
from dlqconsole.retries import run as schedule
from examples.flights import handlers
from examples.flights.events import flight_event
from examples.flights.source import rows as source_rows
from examples.flights.weather import serve
from tests.examples.flight_data import prepared_directory
from tests.examples.flight_oracle import expected_outcomes
from tests.pipeline.conftest import database_url, ingest_here, make_work, rows  # noqa: F401 - fixtures
from tests.sizes import sized

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sized]

HANDLERS, TYPE, KEY = "examples.flights.handlers", "flight.departed", "dependency:weather"
FLIGHTS = sized(160, 900)
OUTAGE_SECONDS = sized(3, 30)
FIRST_PAUSE, LONGEST_PAUSE = 1, 2
NOT_HEALED = ("WeatherAway", "BreakerOpen")


@pytest.fixture
def service(monkeypatch):
    """start() and stop() the weather service, at one address."""
    running = serve(handlers.WEATHER_BY_HOUR, 0)
    port = running.server_port
    monkeypatch.setenv("FLIGHTS_WEATHER_URL", f"http://127.0.0.1:{port}")
    running.server_close()
    started = []

    def start() -> None:
        started.append(serve(handlers.WEATHER_BY_HOUR, port))
        threading.Thread(
            target=started[-1].serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()

    yield start
    for each in started:
        each.shutdown()
        each.server_close()


@pytest.fixture(autouse=True)
def drill(settings, monkeypatch):
    """Everybody has the flights' handlers, and waits as long as a test can."""
    monkeypatch.setenv("FLIGHTS_DATA_DIR", str(prepared_directory()))
    settings.DLQ_HANDLERS = HANDLERS
    rules = partial(Rules, first_pause=FIRST_PAUSE, longest_pause=LONGEST_PAUSE)
    monkeypatch.setattr("dlqconsole.core.flow.breakers.Rules", rules)
    settings.DLQ_RETRY_BACKOFF_BASE = settings.DLQ_RETRY_BACKOFF_CAP = 1
    settings.DLQ_RETRY_TIME_BUDGET = 1


def the_day():
    flights = (row for row in source_rows("flights", "2013,1,1,"))
    return [flight_event(row) for _number, row in zip(range(FLIGHTS), flights, strict=False)]


def column(query):
    with connection.cursor() as cursor:
        cursor.execute(query)
        return dict(cursor.fetchall())


def calls():
    """Each call to a stopped service is a failure, and each is kept; the first in the dead letter."""
    query = """
        SELECT 'n', (SELECT count(*) FROM dlq_attempts WHERE error_reason LIKE 'WeatherAway%')
            + (SELECT count(*) FROM dlq_events d WHERE d.error_class = 'WeatherAway'
                AND NOT EXISTS (SELECT FROM dlq_attempts a WHERE a.dlq_event_id = d.id))"""
    return column(query)["n"]


def work_for(seconds):
    """The consumer and the schedule, in turns, as they would side by side."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        Consumer([TYPE]).run(until_empty=True)
        with suppress(LockHeld):  # of the run before, for a second
            schedule.run()
        time.sleep(0.2)


def healed():
    classes = column("SELECT error_class, count(*) FROM dlq_events WHERE status <> 'SUCCEEDED' GROUP BY 1")
    return not Message.objects.exists() and not classes.keys() & {*NOT_HEALED}


def test_a_day_of_flights_through_an_outage_ends_as_the_flight_table_says(service, ingest_here):  # noqa: F811
    events = the_day()
    half = len(events) // 2
    ingest_here(*map(orjson.dumps, events[:half]), handlers=HANDLERS, backoff_base=0.05)
    messages.send_many(TYPE, [NewMessage(orjson.dumps(event)) for event in events[half:]])
    Consumer([TYPE]).run(until_empty=True)
    schedule.run()
    [state] = breakers.states()
    assert (state.key, state.blocks) == (KEY, True)
    assert 20 <= calls() <= 21, "twenty failures of all who ask, and one that has tried since at most"
    assert column("SELECT DISTINCT error_category, 1 FROM dlq_events WHERE error_class LIKE 'Weather%'") == {
        "DEPENDENCY": 1
    }
    before, begun = calls(), time.monotonic()
    work_for(OUTAGE_SECONDS)
    assert calls() - before <= 1 + (time.monotonic() - begun) / FIRST_PAUSE, "one try a pause"
    assert Message.objects.filter(retry_count=0).count() >= len(events) - half - (calls() - before) - 1
    service()
    begun = time.monotonic()
    while not healed():
        assert time.monotonic() - begun < sized(60, 300), (breakers.states(), calls())
        work_for(0.5)
    assert breakers.states() == []
    expected = expected_outcomes()
    ends = Counter(expected[TYPE, event["id"]] for event in events)
    found = column("SELECT error_class, count(*) FROM dlq_events WHERE status <> 'SUCCEEDED' GROUP BY 1")
    assert found | column("SELECT 'enriched', count(*) FROM enriched_events") == dict(ends)
    assert column("SELECT count(*), 1 FROM dlq_events WHERE status = 'EXHAUSTED'") == {0: 1}
