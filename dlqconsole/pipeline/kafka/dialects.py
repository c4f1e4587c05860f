"""Dead-letter topics of others: who failed, why and where, from the headers that each of them writes.

They come from outside: nothing here raises.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.outcomes import REASON_LIMIT, Failed
from dlqconsole.processing.texts import one_line, sanitise_text

from .records import RawHeaders, is_topic

NAMELESS = "DeadLettered"
EXHAUSTED = "DeliveriesExhausted"
MOST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class ForeignFailure:
    """A failure in somebody else's consumer, and the record that failed. What is not known is None.

    ``dialect``: whose headers they are. ``error_class``: the cause by which it is grouped. ``timestamp``:
    milliseconds since 1970. ``payload_left_out``: its payload stands in the topic of origin only.
    """

    dialect: str
    error_class: str = ""
    message: str = ""
    stacktrace: str = ""
    topic: str | None = None
    partition: int | None = None
    offset: int | None = None
    timestamp: int | None = None
    group: str | None = None
    deliveries: int | None = None
    payload_left_out: bool = False

    @property
    def failure(self) -> Failed:
        """The outcome of the event. Its category is what the failure rules make of it."""
        # Java writes an inner class with a dollar sign
        name = one_line(self.error_class.replace("$", "."), 255) or NAMELESS
        reason = one_line(f"{name}: {self.message or 'its consumer did not say why'}", REASON_LIMIT)
        return Failed(reason, UNKNOWN, name, sanitise_text(self.stacktrace))

    @property
    def place(self) -> tuple[str, int, int] | None:
        """The place of the record that failed; None unless topic, partition and offset are known."""
        if not self.topic or self.partition is None or self.offset is None:
            return None
        return self.topic, self.partition, self.offset


class Notes:
    """Headers by name. A failure that was noted several times has several of each: which one is asked for."""

    def __init__(self, headers: RawHeaders) -> None:
        self._values: dict[str, list[bytes]] = {}
        for name, value in headers:
            if value is not None:
                self._values.setdefault(name, []).append(value)

    def text(self, *names: str) -> str:
        """The last value under the first of the names that is there; empty when none is."""
        return sanitise_text(self._values_of(names)[-1].decode(errors="replace"))

    def topic(self, *names: str) -> str | None:
        """The first value as a topic's name: where it failed for the first time. None for what is none."""
        topic = self._values_of(names)[0].decode(errors="replace")
        return topic if is_topic(topic) else None

    def number(self, *names: str) -> int | None:
        """The first value as a number: digits, or 4 or 8 bytes as Java writes them; else None."""
        value = self._values_of(names)[0]
        if value.isdigit():
            number = int(value[:20])
        elif len(value) in (4, 8):
            number = int.from_bytes(value, "big", signed=True)
        else:
            return None
        return number if 0 <= number <= MOST else None

    def _values_of(self, names: tuple[str, ...]) -> list[bytes]:
        return next((self._values[name] for name in names if name in self._values), [b""])


@dataclass(frozen=True, slots=True)
class Dialect:
    """``signs``: beginnings of the names by which it is known; ``prefixes``: of all its headers."""

    signs: tuple[str, ...]
    prefixes: tuple[str, ...]
    read: Callable[[Notes], ForeignFailure]


def recognise(headers: RawHeaders) -> ForeignFailure | None:
    """The failure that a record's headers tell of; None for a record that has not failed."""
    for dialect in DIALECTS:
        if any(name.startswith(dialect.signs) for name, _value in headers):
            return dialect.read(Notes(headers))
    return None


def without_notes(headers: RawHeaders) -> RawHeaders:
    """The producer's own headers: what others noted of the failure would mislead once it is revived."""
    return tuple((name, value) for name, value in headers if not name.startswith(_PREFIXES))


SPRING = ("kafka_dlt-", "kafka_exception-", "kafka_original-")
CONNECT, STREAMS, SHARE = "__connect.errors.", "__streams.errors.", "__dlq.errors."


def _spring(notes: Notes) -> ForeignFailure:
    """Read ``kafka_dlt-*``, and ``kafka_*`` where Spring Kafka sends to retry topics of its own first.

    Partition, offset and timestamp are big-endian binary. The class is that of Spring's wrapper
    (ListenerExecutionFailedException for all of them), so that the cause's is taken where there is one.
    """

    def names(name: str) -> tuple[str, str, str]:
        return f"kafka_dlt-{name}", f"kafka_{name}", f"kafka_dlt-key-{name}"

    stacktrace = notes.text(*names("exception-stacktrace"))
    cause = notes.text(*names("exception-cause-fqcn")) or notes.text(*names("exception-fqcn"))
    return ForeignFailure(
        dialect="Spring Kafka",
        error_class=cause,
        message=_message_of(cause, stacktrace) or notes.text(*names("exception-message")),
        stacktrace=stacktrace,
        topic=notes.topic(*names("original-topic")),
        partition=notes.number(*names("original-partition")),
        offset=notes.number(*names("original-offset")),
        timestamp=notes.number(*names("original-timestamp")),
        group=notes.text(*names("original-consumer-group")) or None,
        deliveries=notes.number("retry_topic-attempts"),
    )


def _message_of(cause: str, stacktrace: str) -> str:
    """Return the cause's own message. The wrapper's says of each failure that a listener threw it."""
    if not cause:
        return ""
    match = re.search(rf"^Caused by: {re.escape(cause)}: (.+)$", stacktrace[:65_536], re.MULTILINE)
    return match[1].strip() if match else ""


def _connect(notes: Notes) -> ForeignFailure:
    """Read what a sink connector noted, all text; its consumers are the group ``connect-<name>``.

    Written where ``errors.deadletterqueue.context.headers.enable`` is true, which is not its default.
    """
    connector = notes.text(f"{CONNECT}connector.name")
    stage = notes.text(f"{CONNECT}stage")
    message = notes.text(f"{CONNECT}exception.message")
    return ForeignFailure(
        dialect="Kafka Connect",
        error_class=notes.text(f"{CONNECT}exception.class.name", f"{CONNECT}class.name"),
        message=f"{message} [{stage}]" if stage and message else message or stage,
        stacktrace=notes.text(f"{CONNECT}exception.stacktrace"),
        topic=notes.topic(f"{CONNECT}topic"),
        partition=notes.number(f"{CONNECT}partition"),
        offset=notes.number(f"{CONNECT}offset"),
        group=f"connect-{connector}" if connector else None,
    )


def _streams(notes: Notes) -> ForeignFailure:
    """Read what a Streams application noted (KIP-1034). A message may stand behind the exception."""
    name, _colon, rest = notes.text(f"{STREAMS}exception").partition(":")
    return ForeignFailure(
        dialect="Kafka Streams",
        error_class=name.strip(),
        message=notes.text(f"{STREAMS}message") or rest.strip(),
        stacktrace=notes.text(f"{STREAMS}stacktrace"),
        topic=notes.topic(f"{STREAMS}topic"),
        partition=notes.number(f"{STREAMS}partition"),
        offset=notes.number(f"{STREAMS}offset"),
    )


def _share(notes: Notes) -> ForeignFailure:
    """Read what the broker noted for a share group (KIP-1191), which copies no payload unless it is told to.

    It knows no exception, only that nobody accepted the record.
    """
    deliveries = notes.number(f"{SHARE}delivery.count")
    times = f"{deliveries:,} times" if deliveries else "again and again"
    return ForeignFailure(
        dialect="a share group",
        error_class=EXHAUSTED,
        message=notes.text(f"{SHARE}message") or f"delivered {times} and never accepted",
        topic=notes.topic(f"{SHARE}topic"),
        partition=notes.number(f"{SHARE}partition"),
        offset=notes.number(f"{SHARE}offset"),
        group=notes.text(f"{SHARE}group") or None,
        deliveries=deliveries,
        payload_left_out=True,
    )


# the first one whose sign is there speaks
DIALECTS = (
    Dialect(SPRING, (*SPRING, "retry_topic-"), _spring),
    Dialect((CONNECT,), (CONNECT,), _connect),
    Dialect((STREAMS,), (STREAMS,), _streams),
    Dialect((SHARE,), (SHARE,), _share),
)
_PREFIXES = tuple(prefix for dialect in DIALECTS for prefix in dialect.prefixes)
