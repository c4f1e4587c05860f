"""Dead letters of others: where, why and how a message failed, from the headers that each of them writes.

They come from outside: nothing here raises.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.outcomes import REASON_LIMIT, Failed
from dlqconsole.processing.texts import one_line, sanitise_text

type Headers = Mapping[str, Any]

NAMELESS = "DeadLettered"
LONGEST_NAME = 255  # of a queue
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
# by RabbitMQ's own words
_REASONS = {
    "rejected": ("Rejected", "its consumer rejected it and did not say why"),
    "expired": ("Expired", "nobody took it before its time was over"),
    "maxlen": ("QueueFull", "the queue was longer than its limit"),
    "delivery_limit": ("DeliveriesExhausted", "delivered too often and never acknowledged"),
}


@dataclass(frozen=True, slots=True)
class ForeignFailure:
    """A failure in somebody else's consumer. ``queue``: where it failed; empty where nobody noted that.

    ``noted_by``: whose headers they are. ``event_type``: what the message says that it is, if it does.
    ``facts``: more for people.
    """

    noted_by: str = ""
    queue: str = ""
    error_class: str = NAMELESS
    message: str = "nobody noted why"
    stacktrace: str = ""
    failed_at: datetime | None = None
    event_type: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def failure(self) -> Failed:
        """The outcome of the event. Its category is what the failure rules make of it."""
        name = one_line(self.error_class, 255) or NAMELESS
        reason = one_line(f"{name}: {self.message or 'its consumer did not say why'}", REASON_LIMIT)
        return Failed(reason, UNKNOWN, name, sanitise_text(self.stacktrace))


@dataclass(frozen=True, slots=True)
class Dialect:
    """``sign``: the header by which it is known; ``prefixes``: of all that it notes of a failure."""

    sign: str
    prefixes: tuple[str, ...]
    read: Callable[[Headers], ForeignFailure]


def recognise(headers: Headers, dead_letter_queue: str) -> ForeignFailure:
    """Return the failure that a message's headers tell of, and the queue where it failed."""
    read = next((each.read for each in DIALECTS if each.sign in headers), lambda _headers: ForeignFailure())
    foreign = read(headers)
    queue = foreign.queue or _died_in(headers) or _queue_of_errors(foreign, dead_letter_queue)
    return replace(
        foreign,
        queue=one_line(queue, LONGEST_NAME),
        facts={"dlq_noted_by": foreign.noted_by} | _facts(headers) | dict(foreign.facts),
    )


def is_note(name: str) -> bool:
    """Tell whether a header is a note of the failure, which would mislead once the message is revived."""
    return name.startswith(_PREFIXES) or name in DELIVERIES


def _queue_of_errors(foreign: ForeignFailure, dead_letter_queue: str) -> str:
    """Return the queue that MassTransit's ``orders_error`` is named after; empty for another name."""
    if foreign.noted_by != MASSTRANSIT:
        return ""
    queue = re.sub("(_error|_skipped)$", "", dead_letter_queue)
    return "" if queue == dead_letter_queue else queue


def _nservicebus(headers: Headers) -> ForeignFailure:
    """Read ``NServiceBus.ExceptionInfo.*`` and ``NServiceBus.FailedQ``, also with a machine: Sales@host."""
    error = "NServiceBus.ExceptionInfo."
    types = _text(headers, "NServiceBus.EnclosedMessageTypes")
    return ForeignFailure(
        noted_by="NServiceBus",
        queue=_text(headers, "NServiceBus.FailedQ").partition("@")[0],
        error_class=_text(headers, f"{error}InnerExceptionType") or _text(headers, f"{error}ExceptionType"),
        message=_text(headers, f"{error}Message"),
        stacktrace=_text(headers, f"{error}StackTrace"),
        failed_at=_nservicebus_time(_text(headers, "NServiceBus.TimeOfFailure")),
        event_type=types.partition(";")[0].partition(",")[0].strip(),
    )


def _masstransit(headers: Headers) -> ForeignFailure:
    """Read ``MT-Fault-*``. A message that no consumer wanted has ``MT-Reason`` alone."""
    address = urlsplit(_text(headers, "MT-Fault-InputAddress"))
    retries = _text(headers, "MT-Fault-RetryCount")
    return ForeignFailure(
        noted_by=MASSTRANSIT,
        queue=unquote(address.path.rpartition("/")[2]),
        error_class=_text(headers, "MT-Fault-ExceptionType") or "Skipped",
        message=_text(headers, "MT-Fault-Message") or "no consumer of the queue took it",
        stacktrace=_text(headers, "MT-Fault-StackTrace"),
        failed_at=_iso_time(_text(headers, "MT-Fault-Timestamp")),
        event_type=_text(headers, "MT-Fault-MessageType"),
        facts={
            "dlq_consumer": _text(headers, "MT-Fault-ConsumerType"),
            "dlq_deliveries": int(retries) + 1 if retries.isdecimal() and len(retries) < 9 else None,
        },
    )


def _spring(headers: Headers) -> ForeignFailure:
    """Read what Spring's RepublishMessageRecoverer noted. The default exchange's routing key is a queue."""
    stacktrace = _text(headers, "x-exception-stacktrace")
    causes = re.findall(r"^Caused by: ([\w.$]+)(?:: (.*))?$", stacktrace[:65_536], re.MULTILINE)
    error_class, message = causes[-1] if causes else (stacktrace.partition(":")[0].strip(), "")
    exchange, key = _text(headers, "x-original-exchange"), _text(headers, "x-original-routingKey")
    return ForeignFailure(
        noted_by="Spring AMQP",
        queue=key if "x-original-exchange" in headers and not exchange else "",
        error_class=error_class.replace("$", ".") if re.fullmatch(r"[\w.$]+", error_class) else NAMELESS,
        message=message or _text(headers, "x-exception-message"),
        stacktrace=stacktrace,
    )


def _rabbitmq(headers: Headers) -> ForeignFailure:
    """Read RabbitMQ's ``x-death``, whose first entry is the last death. It knows no exception."""
    death = _deaths(headers)[0] if _deaths(headers) else {}
    reason = _text(death, "reason")
    error_class, message = _REASONS.get(reason, (NAMELESS, reason or "RabbitMQ did not say why"))
    moment = death.get("time")
    return ForeignFailure(
        noted_by="RabbitMQ",
        error_class=error_class,
        message=message,
        failed_at=moment.replace(tzinfo=UTC) if isinstance(moment, datetime) else None,
    )


def _facts(headers: Headers) -> dict[str, Any]:
    """Return what RabbitMQ noted of the last death, for people."""
    for death in _deaths(headers)[:1]:
        keys = death.get("routing-keys")
        return {
            "dlq_reason": death.get("reason"),
            "dlq_deaths": death.get("count"),
            "dlq_exchange": death.get("exchange"),
            "dlq_routing_key": keys[0] if isinstance(keys, list) and keys else None,
        }
    return {}


def _died_in(headers: Headers) -> str:
    return next((_text(death, "queue") for death in _deaths(headers)), "")


def _deaths(headers: Headers) -> Sequence[Headers]:
    """Return the deaths, the last one first. ``x-last-death-*`` is not asked: RabbitMQ 3.10 has none."""
    deaths = headers.get("x-death")
    return [each for each in deaths if isinstance(each, dict)] if isinstance(deaths, list) else []


def _text(headers: Headers, name: str) -> str:
    value = headers.get(name)
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    return "" if value is None or isinstance(value, (dict, list)) else sanitise_text(str(value)).strip()


def _iso_time(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _nservicebus_time(text: str) -> datetime | None:
    """Read ``2026-11-26 13:12:16:123456 Z``."""
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S:%f Z").replace(tzinfo=UTC)
    except ValueError:
        return _iso_time(text)


MASSTRANSIT = "MassTransit"
# The first one whose sign is there speaks: who handled the message knows more than its broker.
DIALECTS = (
    Dialect(
        "NServiceBus.FailedQ",
        (
            "NServiceBus.ExceptionInfo.",
            "NServiceBus.FailedQ",
            "NServiceBus.TimeOfFailure",
            "NServiceBus.Retries",
        ),
        _nservicebus,
    ),
    Dialect("MT-Reason", ("MT-Fault-", "MT-Reason"), _masstransit),
    Dialect("MT-Fault-ExceptionType", (), _masstransit),
    Dialect("x-exception-stacktrace", ("x-exception-", "x-original-"), _spring),
    Dialect("x-death", ("x-death", "x-first-death-", "x-last-death-"), _rabbitmq),
)
_PREFIXES = tuple(prefix for dialect in DIALECTS for prefix in dialect.prefixes)
# counted by quorum queues, anew on each queue
DELIVERIES = ("x-delivery-count", "x-acquired-count")
