"""The limits of payloads and records are the same for the queue, the schedule, the editor and Spark."""

from functools import partial

import orjson
import pytest

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.core import messages
from dlqconsole.core.errors import InvalidMessage
from dlqconsole.core.settings import limits
from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.models import DeadLetter, EnrichedEvent, Message
from dlqconsole.processing.limits import MEBIBYTE, Limits
from dlqconsole.retries import run
from tests.pipeline.conftest import database_url, ingest_here, make_work  # noqa: F401 - fixtures
from tests.plain_sql import execute
from tests.retries.conftest import free_lock  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db(transaction=True)

QUEUE = "order.created"
MANY_KEYS = orjson.dumps({"order_id": 1} | {f"key {number}": "twelve bytes" for number in range(37_000)})
# jsonb writes it with a space after each comma, far beyond the limit
MANY_VALUES = b'{"order_id":1,"values":[' + b",".join([b"1"] * 510_000) + b"]}"
LARGE = {"specversion": "1.0", "type": QUEUE, "data": {"order_id": "x" * 100}}
FULL = {"many keys": MANY_KEYS, "many values": MANY_VALUES}


def consumed():
    Consumer([QUEUE]).run(until_empty=True)
    assert not Message.objects.exists()


def test_these_payloads_nearly_reach_the_limit_in_bytes():
    assert all(950_000 < len(payload) < MEBIBYTE for payload in FULL.values())


@pytest.mark.parametrize("name", FULL)
def test_what_is_below_the_limit_in_bytes_is_handled(name):
    messages.send(QUEUE, FULL[name])
    consumed()
    assert EnrichedEvent.objects.get().record == {"order_id": 1, "handled": True}
    assert not DeadLetter.objects.exists()


@pytest.mark.parametrize("name", FULL)
def test_the_schedule_and_the_editor_read_what_the_queue_took(name, letter):
    one = letter(payload=FULL[name].decode(), status="PENDING")
    shown = editing.current(one)
    assert shown.payload.state == "ok"
    assert editing.draft(shown, shown.shown.replace('"order_id": 1', '"order_id": 2'), None)
    run.run()
    assert DeadLetter.objects.get().status == "SUCCEEDED"


@pytest.mark.parametrize("name", FULL)
def test_spark_reads_it_too(name, ingest_here):  # noqa: F811 - the fixture
    headed = b'{"specversion":"1.0","id":"1","source":"s","type":"order.created","data":' + FULL[name] + b"}"
    assert ingest_here(headed) == {"enriched": 1}


def test_the_queue_s_limit_is_the_setting_s(settings):
    settings.DLQ_MAX_PAYLOAD_BYTES = 2 * MEBIBYTE
    messages.send(QUEUE, b'{"order_id": 1, "text": "' + b"x" * MEBIBYTE + b'"}')
    consumed()
    assert EnrichedEvent.objects.count() == 1


def test_keys_are_limited_everywhere(monkeypatch, letter, ingest_here):  # noqa: F811
    monkeypatch.setattr("dlqconsole.core.settings._of", partial(Limits, payload_keys=3))
    four = b'{"order_id": 1, "b": 2, "c": {"d": 4}}'
    with pytest.raises(InvalidMessage, match="more than 3 keys"):
        messages.send(QUEUE, four)
    Message.objects.create(queue=QUEUE, payload=orjson.loads(four))
    consumed()
    one = letter(payload='{"order_id": 1}', source="t")
    with pytest.raises(editing.EditRefused, match="More than 3 keys"):
        editing.draft(editing.current(one), four.decode(), None)
    assert ingest_here(four, limits=limits()) == {"PayloadTooLarge": 1}
    refused = DeadLetter.objects.filter(error_reason__contains="more than 3 keys")
    assert sorted(refused.values_list("status", flat=True)) == ["QUARANTINED", "QUARANTINED"]


def test_a_record_beyond_its_limit_is_a_failure_that_keeps_the_event(monkeypatch, letter, ingest_here):  # noqa: F811
    monkeypatch.setattr("dlqconsole.core.settings._of", partial(Limits, record_bytes=100))
    events = [{**LARGE, "id": source, "source": source} for source in ("queue", "file", "schedule")]
    messages.send(QUEUE, orjson.dumps(events[0]))
    messages.send(QUEUE, b'{"order_id": 1}')
    consumed()
    assert EnrichedEvent.objects.count() == 1
    assert ingest_here(orjson.dumps(events[1]), limits=limits()) == {"RecordTooLarge": 1}
    letter(payload=orjson.dumps(events[2]).decode(), status="PENDING")
    run.run()
    said = "RecordTooLarge: the handler's record is 130 bytes long, more than 100"
    for kept in DeadLetter.objects.all():
        assert (kept.error_reason, kept.error_category) == (said, "PERMANENT")
    assert sorted(kept.payload["id"] for kept in DeadLetter.objects.all()) == ["file", "queue", "schedule"]


def test_a_record_that_fits_again_succeeds(monkeypatch):
    monkeypatch.setattr("dlqconsole.core.settings._of", partial(Limits, record_bytes=100))
    messages.send(QUEUE, orjson.dumps({"order_id": "x" * 100}))
    consumed()
    monkeypatch.setattr("dlqconsole.core.settings._of", partial(Limits, record_bytes=1000))
    execute("SELECT dead_letter_revive(%s)", DeadLetter.objects.get().pk)
    consumed()
    assert EnrichedEvent.objects.count() == 1
    assert DeadLetter.objects.get().status == "SUCCEEDED"
