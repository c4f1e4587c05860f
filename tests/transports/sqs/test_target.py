"""The shared suite, as far as the flags of SQS say; and what becomes a sentence."""

import base64

import pytest

from dlqconsole.core.errors import InvalidMessage, InvalidQueue, UnknownQueue
from dlqconsole.transports import attachments
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.sqs import client as sqs_client
from dlqconsole.transports.sqs.target import SqsTarget
from tests.transports.conformance import HEADERS, Bench, SendingConformance

pytestmark = pytest.mark.django_db(transaction=True)


class TestSqs(SendingConformance):
    @pytest.fixture
    def bench(self, pair, transactional_db) -> Bench:
        return Bench(SqsTarget(), pair.name, "nowhere", f"sqs:{pair.name}", lambda: None)

    @pytest.fixture
    def sent(self, pair):
        """What stands there: the bytes and the headers of each message."""

        def read():
            return [
                (
                    each["Body"].encode(),
                    {name: value["StringValue"] for name, value in each.get("MessageAttributes", {}).items()},
                )
                for each in pair.receive()
            ]

        return read

    def test_headers_come_out_as_they_went_in(self, bench, sent):
        """An attribute's name is ASCII, and none is empty."""
        headers = {"ce_type": HEADERS["ce_type"], "trace": "東京"}
        bench.source.send(bench.queue, "{}", headers)
        assert sent() == [(b"{}", headers)]


def test_a_message_for_later_waits_over_there(pair):
    SqsTarget().send(pair.name, "{}", delay_seconds=60)
    metrics = SqsTarget().metrics(pair.name)
    assert (metrics.visible, metrics.scheduled) == (0, 1)


@pytest.mark.parametrize("payload", [b"\xff", ""])
def test_what_is_no_text_is_refused(pair, payload):
    with pytest.raises(InvalidMessage, match=r"\.$"):
        SqsTarget().send(pair.name, payload)


def test_attributes_keep_their_types(pair):
    headers = {
        "n": {"type": "Number", "value": "7"},
        "b": {"type": "Binary", "base64": base64.b64encode(b"\xff\x00").decode()},
    }
    SqsTarget().send(pair.name, "{}", headers)
    [message] = pair.receive()
    attributes = message["MessageAttributes"]
    assert (attributes["n"]["DataType"], attributes["n"]["StringValue"]) == ("Number", "7")
    assert (attributes["b"]["DataType"], attributes["b"]["BinaryValue"]) == ("Binary", b"\xff\x00")


def test_only_a_dead_letter_queue_is_attached(pair):
    with pytest.raises(InvalidQueue, match="is no queue's dead-letter queue"):
        attachments.attach(f"sqs:{pair.name}", actor="test")
    with pytest.raises(UnknownQueue, match=r"^SQS has no such queue: "):
        attachments.attach("sqs:nowhere", actor="test")


def test_a_server_that_is_away_is_a_sentence(sqs, monkeypatch, transactional_db):
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", "http://127.0.0.1:1")
    sqs_client._client.cache_clear()
    with pytest.raises(TransportUnavailable, match=r"^SQS cannot be used: Could not connect"):
        attachments.attach("sqs:orders", actor="test")


def test_without_boto3_a_sentence_says_what_to_install(monkeypatch, transactional_db):
    monkeypatch.setitem(__import__("sys").modules, "botocore", None)
    with pytest.raises(TransportUnavailable, match=r"pip install 'dlqconsole\[sqs\]'"):
        attachments.attach("sqs:orders", actor="test")
