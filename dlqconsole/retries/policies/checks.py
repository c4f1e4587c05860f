"""The checks of a policy's values. Each refusal is a sentence and names its field."""

from collections.abc import Callable, Iterator, Mapping
from datetime import time
from typing import Any

from dlqconsole.core.errors import EngineError
from dlqconsole.core.lifecycle.states import Category
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import check_number
from dlqconsole.processing.inputs.plain_text import check_text, quoted
from dlqconsole.retries.models import BACKOFF_SECONDS, BOUNDS, BackoffKind
from dlqconsole.retries.policies.scopes import Scope
from dlqconsole.retries.policies.windows import DAYS, is_zone

BACKOFF = ("backoff", "backoff_base_seconds", "backoff_cap_seconds")
WINDOW = ("window_days", "window_begins", "window_ends", "window_zone")
# the columns that a person fills in
COLUMNS = ("enabled", "max_retries", *BACKOFF, *WINDOW, *tuple(BOUNDS)[1:])
LABELS = {
    "enabled": "Whether the schedule retries them",
    "max_retries": "The number of retries",
    "backoff": "The way of waiting",
    "backoff_base_seconds": "The first wait",
    "backoff_cap_seconds": "The longest wait",
    "window_days": "The days",
    "window_begins": "The beginning of the window",
    "window_ends": "The end of the window",
    "window_zone": "The time zone",
    "batch": "The batch",
    "rate": "The rate",
    "parallelism": "The number of handlers at once",
    "lease_seconds": "The lease",
    "lock_at_least_seconds": "The lock's shortest time",
    "weight": "The weight",
}
_WHOLE = tuple(name for name in BOUNDS if name != "rate")
_EVENT_TYPE = 255


class InvalidPolicy(EngineError):
    """A policy cannot be stored so. ``problems``: the field, "" for the whole, and a sentence."""

    asked_wrongly = True

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__(" ".join(sentence for _field, sentence in problems))
        self.problems = problems


def check_scope(scope: Scope) -> None:
    """Raise InvalidPolicy unless a policy can have this scope."""
    problems = []
    if scope.group_id is not None and (scope.event_type or scope.category):
        problems.append(("group_id", "A group has its event type and category: leave them out."))
    if scope.category is not None and scope.category not in Category:
        problems.append(("error_category", f"The category is one of {', '.join(Category)}, or none."))
    if scope.event_type is not None:
        try:
            check_text(scope.event_type, "The event type", _EVENT_TYPE)
        except InvalidInput as problem:
            problems.append(("event_type", str(problem)))
    if problems:
        raise InvalidPolicy(problems)


def check_values(scope: Scope, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return all columns as the table takes them; missing ones are None. Raises InvalidPolicy."""
    values = {name: fields.get(name) for name in COLUMNS}
    if values["backoff"] is None:
        values |= dict.fromkeys(BACKOFF)
    if values["backoff"] == BackoffKind.FIXED:
        values["backoff_cap_seconds"] = None
    problems = [*_numbers(values), *_backoff(values), *_window(values)]
    if values["enabled"] not in (None, True, False):
        problems.append(("enabled", f"{LABELS['enabled']} is yes, no, or left open."))
    if values["lock_at_least_seconds"] is not None and not scope.is_all:
        problems.append(
            ("lock_at_least_seconds", "There is one lock: the policy for all dead letters says how long.")
        )
    if problems:
        raise InvalidPolicy(problems)
    return values


def _numbers(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, (low, high) in BOUNDS.items():
        if values[name] is not None:
            yield from _refused(name, check_number, values[name], low, high, whole=name in _WHOLE)


def _backoff(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    kind = values["backoff"]
    if kind is None:
        return
    if kind not in BackoffKind.values:
        yield "backoff", f"{LABELS['backoff']} is fixed or exponential, not {quoted(str(kind))}."
        return
    columns = BACKOFF[1:] if kind == BackoffKind.EXPONENTIAL else BACKOFF[1:2]
    problems = [problem for name in columns for problem in _seconds(name, values[name])]
    yield from problems
    if not problems and len(columns) == 2 and values[BACKOFF[2]] < values[BACKOFF[1]]:
        yield "backoff_cap_seconds", "The longest wait is shorter than the first. Make it at least as long."


def _seconds(name: str, seconds: Any) -> Iterator[tuple[str, str]]:
    if seconds is None:
        yield name, f"{LABELS[name]} is missing: say how long."
    elif not BACKOFF_SECONDS[0] <= seconds <= BACKOFF_SECONDS[1]:
        yield name, f"{LABELS[name]} must be between 1 second and 31 days."


def _window(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if all(values[name] is None for name in WINDOW):
        return
    days = values["window_days"]
    if not days:
        yield "window_days", "A window without a day never opens. Choose at least one day."
    elif wrong := [day for day in days.split(",") if day not in DAYS]:
        yield "window_days", f"{quoted(wrong[0])} is no day. The days are {', '.join(DAYS)}."
    for name in ("window_begins", "window_ends"):
        if not isinstance(values[name], time):
            yield name, f"{LABELS[name]} is missing: write it as 22:00."
    zone = values["window_zone"]
    if not zone:
        yield "window_zone", "Say by which clock: a time zone such as Europe/Berlin, or UTC."
    elif not is_zone(zone):
        yield "window_zone", f"There is no time zone {quoted(zone)}. Write it as Europe/Berlin, or UTC."


def _refused(
    name: str, check: Callable[..., None], value: Any, *bounds: float, **more: Any
) -> Iterator[tuple[str, str]]:
    try:
        check(value, LABELS[name], *bounds, **more)
    except InvalidInput as problem:
        yield name, str(problem)
