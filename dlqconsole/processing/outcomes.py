"""One attempt at an event: what came of it, as a value, never as an exception."""

from asyncio import CancelledError
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from .categories import DEPENDENCY, RETRIED_BY_MACHINE, TRANSIENT, category_of, http_status_of, sqlstate_of
from .errors import HandlerError, MissingData, UnusableRecord
from .events import Event
from .handlers import Registry
from .limits import DEFAULT_LIMITS, Limits
from .payloads import decode
from .records import record_json
from .stacktraces import message_of, stacktrace
from .texts import one_line
from .time_limit import await_here, why_cancelled

REASON_LIMIT = 4_000
# An unreadable event will not read better tomorrow: no machine touches it again.
UNDECODABLE = frozenset({"MalformedEvent", "PayloadTooLarge"})


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The handler's record, and the same as JSON text ready for a jsonb column (`null` for None)."""

    record: dict[str, Any] | None
    record_json: str


@dataclass(frozen=True, slots=True)
class Failed:
    """`reason` is `ClassName: message` on one line; all texts are safe for PostgreSQL and bounded.

    `category` is the error's own word, and is kept as that. `ruled_category` is the verdict of the failure
    rules, None before they were asked. `dependency` is the system that the error names as being away.
    `other_side_answers`: the error itself says that the other side is there. `fatal`: its process died of
    it, or had to be ended.
    """

    reason: str
    category: str
    error_class: str
    stacktrace: str
    ruled_category: str | None = None
    dependency: str = ""
    other_side_answers: bool = False
    fatal: bool = False

    @property
    def may_heal(self) -> bool:
        """Tell whether time or another system may mend it: machines try such again."""
        return (self.ruled_category or self.category) in RETRIED_BY_MACHINE

    @property
    def says_away(self) -> bool:
        """Tell whether it says that the other side does not answer: enough of these are an outage."""
        category = self.ruled_category or self.category
        return category in (TRANSIENT, DEPENDENCY) and not self.other_side_answers

    @property
    def status(self) -> str:
        """The state in which it is first kept as a dead letter."""
        return "QUARANTINED" if self.error_class in UNDECODABLE else "PENDING"

    @classmethod
    def from_error(cls, error: BaseException) -> Self:
        """Describe any exception."""
        name = type(error).__name__
        codes = _codes(error)
        message = message_of(error)
        unsaid = "".join(f" [{label} {code}]" for label, code in codes if code not in message)
        reason = one_line(f"{name}: {message}", REASON_LIMIT - len(unsaid)) + unsaid
        return cls(
            reason,
            category_of(error),
            name,
            stacktrace(error),
            dependency=_dependency(error),
            other_side_answers=isinstance(error, MissingData),
        )


def _dependency(error: BaseException) -> str:
    name = getattr(error, "dependency", "") if isinstance(error, HandlerError) else ""
    return name if isinstance(name, str) else ""


def _codes(error: BaseException) -> list[tuple[str, str]]:
    """Return the codes that rules can match and a message often does not say."""
    codes = [("SQLSTATE", sqlstate_of(error)), ("HTTP", str(http_status_of(error) or ""))]
    return [(label, code) for label, code in codes if code]


type Outcome = Succeeded | Failed


def attempt(registry: Registry, event: Event, limits: Limits = DEFAULT_LIMITS) -> Outcome:
    """Run the event's handler. Never raises, except KeyboardInterrupt and SystemExit."""
    if registry.batch_of(event.type):
        return attempt_together(registry, [event], limits)[0]
    try:
        record = registry.handle(event)
        if hasattr(record, "__await__"):
            return await_here(_await_record(record, limits))
        return Succeeded(record, record_json(record, limits.record_bytes))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return Failed.from_error(error)


def attempt_together(
    registry: Registry, events: Sequence[Event], limits: Limits = DEFAULT_LIMITS
) -> list[Outcome]:
    """Run the batch handler of events of one type. Return an outcome for each. Raises as ``attempt``."""
    valid, refusals = [], {}
    for place, event in enumerate(events):
        try:
            registry.check(event)
            valid.append(event)
        except Exception as error:
            refusals[place] = Failed.from_error(error)
    outcomes = iter(_attempt_valid(registry, valid, limits) if valid else ())
    return [refusals.get(place) or next(outcomes) for place in range(len(events))]


def _attempt_valid(registry: Registry, events: Sequence[Event], limits: Limits) -> list[Outcome]:
    try:
        values = registry.handle_together(events)
        if hasattr(values, "__await__"):
            values = await_here(_awaited(values))
        values = [None] * len(events) if values is None else values
        if not isinstance(values, list | tuple) or len(values) != len(events):
            number = f" of {len(values)}" if isinstance(values, list | tuple) else ""
            raise UnusableRecord(
                f"the batch handler returned {type(values).__name__}{number}, not a list of {len(events)}"
            )
        return [_outcome_of(value, limits) for value in values]
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return [Failed.from_error(error)] * len(events)


def _outcome_of(value: Any, limits: Limits) -> Outcome:
    if isinstance(value, BaseException):
        return Failed.from_error(value)
    try:
        return Succeeded(value, record_json(value, limits.record_bytes))
    except Exception as error:
        return Failed.from_error(error)


async def attempt_async(registry: Registry, event: Event, limits: Limits = DEFAULT_LIMITS) -> Outcome:
    """Run the event's handler, an ``async def``, in the loop that runs. Raises as ``attempt``."""
    try:
        return await _await_record(registry.handle(event), limits)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return Failed.from_error(error)


async def _await_record(awaitable: Awaitable[Any], limits: Limits) -> Outcome:
    record = await _awaited(awaitable)
    return Succeeded(record, record_json(record, limits.record_bytes))


async def _awaited(awaitable: Awaitable[Any]) -> Any:
    try:
        return await awaitable
    except CancelledError as error:
        raise why_cancelled(error) from None


def attempt_payload(
    registry: Registry,
    payload: bytes | str,
    headers: Mapping[str, Any] | None = None,
    *,
    queue: str,
    message_id: object,
) -> tuple[Event | None, Outcome]:
    """Read one message's payload and run its handler; the event is None when there was none to read."""
    try:
        value = decode(payload).require()
        event = Event.from_payload(value, headers, queue=queue, message_id=message_id)
    except Exception as error:
        return None, Failed.from_error(error)
    return event, attempt(registry, event)
