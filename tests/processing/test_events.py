"""A message becomes an event: a CloudEvent, or a plain payload dressed as one."""

from datetime import UTC, datetime

import pytest

from dlqconsole.processing import Event, MalformedEvent

CLOUD = {"specversion": "1.0", "id": "7", "source": "shop", "type": "order.created"}


def read(payload, headers=None):
    return Event.from_payload(payload, headers, queue="orders", message_id=42)


def test_a_payload_with_specversion_is_a_cloudevent():
    event = read({**CLOUD, "time": "2013-01-01T05:00:00+01:00", "data": {"n": 1}, "traceparent": "00-a"})
    assert (event.id, event.source, event.type, event.data) == ("7", "shop", "order.created", {"n": 1})
    assert event.time == datetime(2013, 1, 1, 4, tzinfo=UTC)
    assert event.extensions == {"traceparent": "00-a"}


def test_any_other_payload_is_data_of_the_queues_type():
    event = read([1, 2])
    assert (event.id, event.source, event.type, event.data) == ("42", "queue:orders", "orders", [1, 2])


def test_headers_name_the_event_that_a_plain_payload_belongs_to():
    headers = {"ce_type": "order.paid", "ce_source": "till", "ce_id": "x1", "ce_time": "2020-02-29T00:00:00Z"}
    event = read({"n": 1}, headers)
    assert (event.id, event.source, event.type) == ("x1", "till", "order.paid")
    assert event.time == datetime(2020, 2, 29, tzinfo=UTC)
    assert event.headers == headers


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"specversion": "0.3"}, "specversion must be '1.0', not '0.3'"),
        ({"id": ""}, "id must be a non-empty string, not ''"),
        ({"id": 7}, "id must be a non-empty string, not 7"),
        ({"source": None}, "source must be a non-empty string, not None"),
        ({"type": ["a"]}, "type must be a non-empty string, not \\['a'\\]"),
        ({"subject": 5}, "subject must be a non-empty string, not 5"),
        ({"id": "x" * 513}, "id is 513 characters long, more than 512: 'xxx"),
        ({"time": "yesterday"}, "time must be an RFC 3339 timestamp, not 'yesterday'"),
        ({"time": "2013-01-01"}, "time must be an RFC 3339 timestamp"),
        ({"time": 5}, "time must be an RFC 3339 timestamp, not 5"),
        ({"time": "2013-02-30T00:00:00Z"}, "time '2013-02-30T00:00:00Z' does not exist in the calendar"),
        ({"time": "9999-12-31T23:59:59-01:00"}, "does not exist in the calendar"),
        ({"data": 1, "data_base64": "AA=="}, "either data or data_base64, not both"),
        ({"data_base64": "!"}, "data_base64 is not Base64: '!'"),
        ({"data_base64": 5}, "data_base64 is not Base64: 5"),
    ],
)
def test_a_wrong_attribute_is_refused_by_name(change, sentence):
    with pytest.raises(MalformedEvent, match=sentence):
        read({**CLOUD, **change})


def test_a_missing_attribute_is_named():
    with pytest.raises(MalformedEvent, match="source must be a non-empty string, and it is missing"):
        read({name: value for name, value in CLOUD.items() if name != "source"})


@pytest.mark.parametrize("value", ["", 5, ["x"]])
def test_a_header_that_is_no_text_is_refused(value):
    with pytest.raises(MalformedEvent, match="header ce_type must be a non-empty string"):
        read({}, {"ce_type": value})


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2013-01-01t05:00:00z", datetime(2013, 1, 1, 5, tzinfo=UTC)),
        ("2013-01-01T05:00:00.123456789Z", datetime(2013, 1, 1, 5, 0, 0, 123456, tzinfo=UTC)),
        ("2016-12-31T23:59:60Z", datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_every_form_of_rfc_3339_is_read(text, moment):
    assert read({**CLOUD, "time": text}).time == moment


def test_binary_data_arrives_as_bytes():
    assert read({**CLOUD, "data_base64": "AAE="}).data == b"\x00\x01"


def test_an_event_cannot_be_changed_by_its_handler():
    with pytest.raises(AttributeError):
        read({}).id = "other"


def test_the_idempotency_key_is_the_events_own_and_never_changes():
    event = Event(id="e1", source="shop", type="order.created")
    assert event.idempotency_key == "4201689f-64e6-5460-8fdd-0cc20f11f51e"
    assert Event(id="e1", source="shop", type="renamed", data=1).idempotency_key == event.idempotency_key
    assert Event(id="e2", source="shop", type="order.created").idempotency_key != event.idempotency_key
