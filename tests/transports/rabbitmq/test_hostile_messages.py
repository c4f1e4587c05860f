"""Messages that no client reads are dead letters, too: with what can be read, and the rest as raw bytes."""

import base64
import random
import struct

import amqp
import pytest
from amqp.serialization import decode_properties_basic

from dlqconsole.transports.rabbitmq.salvage import readable
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

HEADERS = 0x2000


class Raw(amqp.Message):
    """A message whose properties are these bytes."""

    def __init__(self, flags, properties):
        super().__init__(b'{"n": 1}')
        self._raw = struct.pack(">H", flags) + properties

    def _serialize_properties(self):
        return self._raw


def field(name, value):
    return bytes([len(name)]) + name + value


def table(*fields):
    content = b"".join(fields)
    return struct.pack(">I", len(content)) + content


def headers(*fields):
    return Raw(HEADERS, table(*fields))


def short(value):
    return bytes([len(value)]) + value


def nested(levels):
    value = b"V"
    for _ in range(levels):
        value = b"A" + struct.pack(">I", len(value)) + value
    return value


GOOD = field(b"trace", b"S" + struct.pack(">I", 2) + b"t1")
NEVER = b"T" + b"\xff" * 8
LATE = b"T" + struct.pack(">Q", 253_402_300_800)
DEATH = b"F" + table(field(b"queue", b"S" + table(b"orders")), field(b"time", LATE), field(b"count", b"V"))

# What RabbitMQ lets through (it refuses NaN), and which header stands for what cannot be read
CASES = {
    "a time after the year 9999": (headers(GOOD, field(b"until", LATE)), {"until": LATE}),
    "the last moment there is": (headers(field(b"until", NEVER), GOOD), {"until": NEVER}),
    "such a time in a table": (
        headers(GOOD, field(b"deep", b"F" + table(field(b"until", LATE)))),
        {"deep": b"F" + table(field(b"until", LATE))},
    ),
    "a death at such a time": (
        headers(GOOD, field(b"x-death", b"A" + table(DEATH))),
        {"x-death": b"A" + table(DEATH)},
    ),
    "lists without end": (headers(GOOD, field(b"deep", nested(20_000))), {"deep": nested(20_000)}),
    "a name that is no text": (headers(GOOD, field(b"\xff\xfe", b"V")), {}),
    "a value that is no text": (headers(GOOD, field(b"v", b"S" + table(b"\xff\xfe"))), {}),
    "a death that is none": (headers(GOOD, field(b"x-death", b"t\x01")), {}),
    "a number of 64 bits": (headers(GOOD, field(b"n", b"L\x7f" + b"\xff" * 7)), {}),
    "a tiny decimal": (headers(GOOD, field(b"d", b"D\xff\xff\xff\xff\xff")), {}),
    "NUL in all": (headers(GOOD, field(b"a\0b", b"S" + table(b"\0"))), {}),
    "five thousand headers": (headers(GOOD, *(field(b"h%04d" % n, b"t\x01") for n in range(5_000))), {}),
    "a long name": (headers(GOOD, field(b"n" * 255, b"V"), field(b"ce_id", b"S" + table(b"i" * 60_000))), {}),
    "an id that is no text": (
        Raw(HEADERS | 0x0080, table(GOOD) + short(b"\xff\xfe")),
        {"x-unreadable-message_id": b"\xff\xfe"},
    ),
    "a type that is no text, between others": (
        Raw(0x8000 | HEADERS | 0x0060, short(b"text/\xe9") + table(GOOD) + b"\xff" * 8 + short(b"t\xff")),
        {"x-unreadable-content_type": b"text/\xe9", "x-unreadable-type": b"t\xff"},
    ),
}  # fmt: skip


@pytest.fixture
def letters(queues, taken_over):
    """letters(): what became of all of them, sent one after the other, by the names of the cases."""
    for message, _unreadable in CASES.values():
        queues.channel.basic_publish(message, "", queues.dead)
    queues.put(b'{"n": 2}', queue=queues.dead, message_id="the next one")
    return taken_over()


def test_each_hostile_message_is_a_dead_letter_and_none_stops_the_next(queues, letters):
    *hostile, last = letters
    assert (queues.waiting(), last.source_key) == (0, "the next one")
    assert len(hostile) == len(CASES)
    for (name, (_message, unreadable)), letter in zip(CASES.items(), hostile, strict=True):
        assert letter.payload == {"n": 1}, name
        assert letter.headers["trace"] == "t1", name
        for header, raw in unreadable.items():
            note = {"amqp": "unreadable", "value": base64.b64encode(raw).decode()}
            assert letter.headers[header] == note, name


def test_they_are_revived_without_what_nobody_could_read(queues, letters, revive):
    for letter in letters[:-1]:
        letter.headers["x-rabbitmq"]["queue"] = queues.name
        letter.save(update_fields=["headers"])
        revive(letter)
    for name, (_message, unreadable) in CASES.items():
        message = queues.get()
        assert message.headers["trace"] == "t1", name
        assert not unreadable.keys() & message.headers.keys(), name


def test_a_hostile_message_that_expires_is_known_by_its_death(queues, taken_over):
    expires = Raw(HEADERS | 0x0100, table(GOOD, field(b"until", LATE)) + short(b"1"))
    queues.channel.basic_publish(expires, "", queues.name)
    eventually(queues.waiting)
    [letter] = taken_over()
    assert (letter.source, letter.headers["until"]["amqp"]) == (f"rabbitmq:{queues.name}", "unreadable")


def test_a_routing_key_that_is_no_text_stops_nothing(queues, taken_over):
    queues.channel.basic_publish(amqp.Message(b'{"n": 1}'), queues.exchange, routing_key=b"\xff\xc3")
    [letter] = taken_over()
    assert (letter.payload, queues.waiting()) == ({"n": 1}, 0)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_bytes_are_the_client_reads_what_is_made_of_them(seed):
    noise = random.Random(seed)
    for message, _unreadable in CASES.values():
        properties = bytearray(message._serialize_properties()[:2_000])
        for _ in range(noise.randrange(1, 8)):
            properties[noise.randrange(len(properties))] = noise.randrange(256)
        frame = struct.pack(">HHQ", 60, 0, 8) + properties[: noise.randrange(len(properties) + 1)]
        decode_properties_basic(readable(bytes(frame)), 12)
