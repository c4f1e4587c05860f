"""A dead letter knows when its event occurred, as the record of the same event would."""

import json

import pytest

from dlqconsole.engine.models import DeadLetter
from dlqconsole.processing.errors import MalformedEvent
from dlqconsole.processing.events import Event
from tests.plain_sql import execute, value

pytestmark = pytest.mark.django_db

TIMES = [
    "2026-02-28T23:59:59Z",
    "2024-02-29T00:00:00z",
    "2026-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2026-04-31T10:00:00Z",
    "2026-01-31T10:00:00+05:30",
    "2026-01-31T10:00:00-23:59",
    "2026-01-31T10:00:60Z",
    "2026-01-31T10:00:61Z",
    "2026-01-31T10:00:00.1234567Z",
    "2026-01-31t24:00:00Z",
    "2026-13-01T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "2026-01-31T10:00Z",
    "2026-01-31T10:00:00",
    "2026-01-31",
    "now",
    "infinity",
    "9999-12-31T23:59:59-05:00",
    "0001-01-01T00:00:00+01:00",
    "2026-01-31T10:00:00+24:00",
    "2026-01-31T10:60:00Z",
    "1969-12-31T23:59:59.999999Z",
    "0099-03-04T05:06:07.8-23:59",
    "2026-01-31T10:00:00.25+05:30",
    "2026-01-31T10:00:00.Z",
    "2026-01-31T10:00:00.+05:30",
    "2026-01-31T10:00:00.1Z0",
    "2026-01-31T10:00:00ZZ",
    "2026-01-31T10:00:000Z",
    "2026-00-10T10:00:00Z",
    "2026-01-00T10:00:00Z",
    "2026-01-3tT10:00:00Z",
]


def as_the_handler_sees_it(time):
    payload = {"specversion": "1.0", "id": "1", "source": "s", "type": "t", "time": time, "data": {}}
    try:
        return Event.from_payload(payload, {}, queue="q", message_id=1).time
    except MalformedEvent:
        return None


def test_a_time_is_read_as_the_events_reader_reads_it():
    for time in [*TIMES, "2026-01-31 10:00:00Z", "2026-01-31T10:00:00Z\n", ""]:
        assert value("SELECT event_moment(%s)", time) == as_the_handler_sees_it(time), time


@pytest.mark.parametrize(
    ("payload", "headers", "hour"),
    [
        ({"specversion": "1.0", "time": "2026-01-31T10:00:00Z"}, {"ce_time": "2026-01-31T07:00:00Z"}, 10),
        ({"time": "2026-01-31T10:00:00Z"}, {}, None),
        ({"n": 1}, {"ce_time": "2026-01-31T07:00:00Z"}, 7),
        ({"specversion": "1.0", "time": 7}, {}, None),
        (["specversion"], {}, None),
        (None, {}, None),
    ],
)
def test_it_follows_from_the_event_however_it_is_written(payload, headers, hour):
    kept = DeadLetter.objects.get(
        pk=value(
            "INSERT INTO dlq_events (event_type, payload, headers) VALUES ('t', %s, %s) RETURNING id",
            payload if payload is None else json.dumps(payload),
            json.dumps(headers),
        )
    )
    assert (kept.occurred_at and kept.occurred_at.hour) == hour
    edited = json.dumps({"specversion": "1.0", "time": "2026-03-01T23:00:00Z"})
    execute("UPDATE dlq_events SET payload = %s WHERE id = %s", edited, kept.pk)
    kept.refresh_from_db()
    assert (kept.occurred_at.month, kept.occurred_at.hour) == (3, 23)
