"""A dead letter is of the type under which its handler runs, whoever wrote it and whatever they called it."""

import json

import pytest

from dlqconsole.engine.counts import rollups
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter, FailureGroup
from dlqconsole.processing.errors import MalformedEvent
from dlqconsole.processing.events import Event
from tests.plain_sql import execute, value

pytestmark = pytest.mark.django_db

WHOLE = {"specversion": "1.0", "id": "7", "source": "shop", "type": "order.created"}
GIVEN = "orders"


def insert(payload, headers=None, raw=None, event_type=GIVEN):
    return value(
        "INSERT INTO dlq_events (event_type, payload, payload_raw, headers, error_reason)"
        " VALUES (%s, %s, %s, %s, 'Refused: no') RETURNING id",
        event_type, None if payload is None else json.dumps(payload), raw, json.dumps(headers or {}),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("payload", "headers"),
    [
        (WHOLE, {}),
        (WHOLE, {"ce_type": "order.lost"}),
        (WHOLE | {"type": ""}, {}),
        (WHOLE | {"type": 7}, {}),
        (WHOLE | {"specversion": "0.3"}, {}),
        (WHOLE | {"specversion": 1.0}, {}),
        (WHOLE | {"id": ""}, {}),
        ({name: value for name, value in WHOLE.items() if name != "source"}, {}),
        ({"type": "order.created"}, {}),
        ({"type": "order.created"}, {"ce_type": "order.lost"}),
        (["specversion"], {"ce_type": "order.lost"}),
        ("specversion", {}),
        (5, {"ce_type": "order.lost"}),
        ({}, {"ce_type": ""}),
        ({}, {"ce_type": 7}),
    ],
    ids=str,
)
def test_it_is_what_its_handler_would_be_given(payload, headers):
    try:
        expected = Event.from_payload(payload, headers, queue=GIVEN, message_id=1).type
    except MalformedEvent:
        expected = GIVEN  # no handler runs, and so it is called what it was called
    assert DeadLetter.objects.get(pk=insert(payload, headers)).event_type == expected


def test_it_is_counted_grouped_and_kept_on_its_queue_as_that():
    number = insert(WHOLE)
    letter = DeadLetter.objects.get(pk=number)
    assert (letter.event_type, letter.queue) == ("order.created", GIVEN)
    assert FailureGroup.objects.get(pk=letter.group_id).event_type == "order.created"
    for parts, found in ({"type": "order.created"}, 1), ({"type": GIVEN}, 0), ({"queue": GIVEN}, 1):
        counted = rollups.by_status(DeadLetterFilter.parse(parts))
        assert sum(counted.values()) == found, parts


def test_what_names_itself_as_it_is_called_stays_without_a_queue_of_its_own():
    assert DeadLetter.objects.get(pk=insert(WHOLE, event_type="order.created")).queue is None


def test_who_mends_unreadable_bytes_gives_it_its_type_and_its_group():
    """As ``edit`` does, and plain SQL."""
    number = insert(None, raw=b"{")
    before = DeadLetter.objects.get(pk=number)
    execute("UPDATE dlq_events SET payload = %s, payload_raw = NULL WHERE id = %s", json.dumps(WHOLE), number)
    after = DeadLetter.objects.get(pk=number)
    assert (before.event_type, after.event_type, after.queue) == (GIVEN, "order.created", GIVEN)
    assert after.group_id != before.group_id
    assert after.payload_version == 1


def test_nobody_calls_it_by_another_name_afterwards():
    number = insert(WHOLE)
    execute("UPDATE dlq_events SET event_type = 'order.lost' WHERE id = %s", number)
    assert DeadLetter.objects.get(pk=number).event_type == "order.created"
