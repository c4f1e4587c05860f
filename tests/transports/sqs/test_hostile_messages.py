"""Whatever a producer writes into a message's attributes, it is a dead letter and stops no other."""

from json import loads

import pytest

from dlqconsole.engine.models import DeadLetter
from dlqconsole.transports import relay
from dlqconsole.transports.sqs.messages import new_dead_letter

pytestmark = pytest.mark.django_db(transaction=True)


def text(value, kind="String"):
    return {"DataType": kind, "StringValue": value}


def raw(value, kind="Binary"):
    return {"DataType": kind, "BinaryValue": value}


# attributes as SQS takes them, and what of them the dead letter has
CASES = [
    ({"n": text("1e999", "Number.float")}, {"n": {"type": "Number.float", "value": "1e999"}}),
    ({"b": raw(b"\x00\xff")}, {"b": {"type": "Binary", "base64": "AP8="}}),
    ({"b": raw(b"\x89PNG", "Binary.png")}, {"b": {"type": "Binary.png", "base64": "iVBORw=="}}),
    ({"s": text("x" * 200_000)}, {"s": "x" * 200_000}),
    ({"ce_id": raw(b"\xff"), "ce_source": text("7", "Number")}, {}),
    ({"ce_id": text("i" * 5_000), "ce_source": text("s"), "ce_type": text("t" * 5_000)}, {}),
    ({"dlq_revive_id": text("dlq:99999999999999999999:1")}, {}),
    ({"dlq_revive_id": text("dlq:1:99999999999")}, {}),
    ({"dlq_revive_id": raw(b"\xff")}, {}),
    ({"x-sqs-source": text("arn:aws:sqs:eu-central-1:1:payments")}, {}),
    ({"x-sqs-receive-count": text("many")}, {"x-sqs-attribute-x-sqs-receive-count": "many"}),
    ({f"a{number}": text("v") for number in range(10)}, {"a9": "v"}),
]
# of systems that are no more than like SQS: theirs lets none of these through
OTHERS = [
    ({"s": text("a\x00b")}, {"s": {"type": "String", "base64": "YQBi"}}),
    ({"s": text("\ud800")}, {"s": {"type": "String", "base64": "7aCA"}}),
    ({"s": {"DataType": "String"}}, {"s": ""}),
    ({"s": {}}, {"s": {"type": "None", "value": ""}}),
]


def test_each_message_is_a_dead_letter_and_none_stops_the_next(pair, attached):
    for place, (attributes, _kept) in enumerate(CASES):
        pair.sqs.send_message(
            QueueUrl=pair.dead, MessageBody=f'{{"n": {place}}}', MessageAttributes=attributes
        )
    for _ in CASES:
        assert relay.run_once()["failed"] == 0
    letters = {letter.payload["n"]: letter.headers for letter in DeadLetter.objects.all()}
    assert len(letters) == len(CASES)
    assert pair.waiting(pair.dead) == 0
    for place, (_attributes, kept) in enumerate(CASES):
        assert kept.items() <= letters[place].items(), place


def test_a_producer_does_not_choose_where_a_revive_goes(pair, attached):
    attributes = {"x-sqs-source": text("arn:aws:sqs:eu-central-1:1:payments")}
    pair.sqs.send_message(QueueUrl=pair.dead, MessageBody="{}", MessageAttributes=attributes)
    relay.run_once()
    headers = DeadLetter.objects.get().headers
    assert "x-sqs-source" not in headers
    assert headers["x-sqs-attribute-x-sqs-source"].endswith(":payments")


@pytest.mark.parametrize(("attributes", "kept"), OTHERS)
def test_what_sqs_itself_refuses_is_kept_all_the_same(attributes, kept):
    message = {"MessageId": "m1", "Body": "\ud800", "MessageAttributes": attributes}
    letter = new_dead_letter(message, "orders-dead", "sqs:orders-dead")
    assert letter.payload_raw == b"\xed\xa0\x80"
    assert kept.items() <= loads(letter.headers).items()
