"""A failure that is posted is a dead letter: in each form of a CloudEvent, and as plain JSON."""

import base64

import pytest

from dlqconsole.engine.models import Attempt, DeadLetter
from tests.accounts import actor_of
from tests.contrib.api.conftest import BATCH, ERROR, EVENT, FAILED

REASON = "TimeoutError: billing did not answer"


def test_a_structured_event_is_kept_without_its_error(reporter):
    answer = reporter.post()
    letter = DeadLetter.objects.get()
    assert (answer.status_code, answer["Location"]) == (201, answer.json()["url"])
    assert answer.json() == {
        "id": letter.pk,
        "url": f"http://testserver/dead-letters/{letter.pk}/",
        "group_url": f"http://testserver/groups/{letter.group_id}/",
    }
    assert (letter.event_type, letter.source, letter.source_key) == ("order.created", "shop", "e1")
    assert (letter.payload, letter.payload_raw, letter.headers) == (EVENT, None, {})
    assert (letter.error_reason, letter.error_category, letter.status) == (REASON, "TRANSIENT", "PENDING")
    attempt = Attempt.objects.get()
    assert (attempt.kind, attempt.worker, attempt.error_reason) == ("reported", actor_of("shop"), REASON)


def test_a_binary_event_is_its_data_and_its_attributes_are_headers(reporter):
    answer = reporter.post(
        {"order_id": 1},
        "application/json",
        ce_specversion="1.0",
        ce_id="e1",
        ce_source="shop",
        ce_type="order.created",
        ce_tenant="caf%C3%A9",
        ce_errortype="TimeoutError",
        ce_errormessage="billing%20did%20not answer",
        ce_errorcategory="TRANSIENT",
        ce_errorstacktrace="at%20work%0Aat%20home",
        ce_errorqueue="orders",
        traceparent="00-1-2-01",
    )
    assert answer.status_code == 201, answer.content
    letter = DeadLetter.objects.get()
    assert (letter.payload, letter.source, letter.source_key) == ({"order_id": 1}, "shop", "e1")
    assert (letter.error_reason, letter.error_stacktrace, letter.queue) == (
        REASON,
        "at work\nat home",
        "orders",
    )
    assert letter.headers == {
        "ce_specversion": "1.0",
        "ce_type": "order.created",
        "ce_source": "shop",
        "ce_id": "e1",
        "ce_tenant": "café",
        "content-type": "application/json",
        "traceparent": "00-1-2-01",
    }


def test_bytes_that_are_no_json_are_kept_as_they_are(reporter):
    given = {"ce_specversion": "1.0", "ce_id": "1", "ce_source": "s", "ce_type": "t", "ce_errortype": "E"}
    assert reporter.post(b"\x00\xff", "application/x-protobuf", **given).status_code == 201
    letter = DeadLetter.objects.get()
    assert (letter.payload, bytes(letter.payload_raw)) == (None, b"\x00\xff")


@pytest.mark.parametrize("kind", [BATCH, "application/json"])
def test_a_batch_is_answered_in_its_order(reporter, kind):
    events = [FAILED | {"id": name} for name in ("c", "a", "b")]
    answer = reporter.post(events, kind)
    assert answer.status_code == 201
    keys = [DeadLetter.objects.get(pk=each["id"]).source_key for each in answer.json()]
    assert keys == ["c", "a", "b"]


def test_the_same_event_twice_in_a_batch_is_one_dead_letter(reporter):
    ids = [each["id"] for each in reporter.post([FAILED, FAILED], BATCH).json()]
    assert len(set(ids)) == 1
    assert DeadLetter.objects.get().occurrences == 2


def test_plain_json_needs_no_cloudevent(reporter):
    plain = {"type": "order.created", "source": "shop", "id": "e1", "data": [1], "error": {"type": "Refused"}}
    assert reporter.post(plain, "application/json").status_code == 201
    letter = DeadLetter.objects.get()
    assert (letter.payload, letter.source_key, letter.error_reason) == ([1], "e1", "Refused")
    assert letter.headers == {"ce_type": "order.created", "ce_source": "shop", "ce_id": "e1"}
    assert letter.error_category == "UNKNOWN"


def test_plain_json_without_an_id_is_an_event_of_its_own(reporter):
    plain = {"type": "a", "source": "shop", "error": {"type": "Refused"}}
    first, second = (reporter.post(plain, "application/json").json()["id"] for _ in range(2))
    assert first != second
    assert list(DeadLetter.objects.values_list("payload", flat=True)) == [None, None]


def test_plain_bytes_come_in_base64(reporter):
    plain = {"type": "a", "source": "s", "data_base64": base64.b64encode(b"\xff").decode(), "error": ERROR}
    assert reporter.post(plain, "application/json").status_code == 201
    assert bytes(DeadLetter.objects.get().payload_raw) == b"\xff"


def test_the_causes_stand_below_the_stack(reporter):
    causes = [{"type": "java.net.Timeout$Read", "message": "5 s", "stacktrace": "at b\n"}, {"type": "Closed"}]
    error = {"type": "shop.Bad$Order", "stacktrace": "at a\n", "causes": causes}
    reporter.post(EVENT | {"error": error})
    letter = DeadLetter.objects.get()
    assert letter.error_reason == "shop.Bad.Order"
    assert letter.error_stacktrace == "at a\nCaused by: java.net.Timeout.Read: 5 s\nat b\nCaused by: Closed"


def test_queue_and_headers_of_the_message_that_failed_come_with_its_error(reporter):
    error = ERROR | {"queue": "celery:shop", "headers": {"n": 12345678901234567890, "x": "y"}}
    reporter.post(EVENT | {"error": error})
    letter = DeadLetter.objects.get()
    assert (letter.queue, letter.headers) == ("celery:shop", {"n": 12345678901234567890, "x": "y"})
