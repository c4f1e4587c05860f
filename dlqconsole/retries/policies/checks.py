"""The checks of a policy's values. Each refusal is a sentence and names its field."""

from collections.abc import Iterator, Mapping
from datetime import time
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.core.errors import EngineError
from dlqconsole.processing.inputs.fields import InvalidValues, read_all
from dlqconsole.processing.inputs.plain_text import duplicates, quoted
from dlqconsole.retries.models import BackoffKind
from dlqconsole.retries.policies import fields
from dlqconsole.retries.policies.scopes import PolicyScope
from dlqconsole.retries.policies.windows import DAYS, is_zone

_FIELDS = {field.name: field for field in fields.COLUMNS}
_WINDOW = tuple(field.name for field in fields.WINDOW)
_BACKOFF = tuple(field.name for field in fields.BACKOFF)
# those that can be read alone
_PLAIN = (fields.ENABLED, fields.ACTION, fields.MAX_RETRIES, fields.RATE, fields.BACKOFF[0])
# the columns that a person fills in
COLUMNS = tuple(_FIELDS)
_SECONDS = (1, 31 * 86_400)


class InvalidPolicy(EngineError):
    """A policy cannot be stored so. ``problems``: the field, "" for the whole, and a sentence."""

    asked_wrongly = True

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__(" ".join(sentence for _field, sentence in problems))
        self.problems = problems


def check_scope(scope: PolicyScope) -> None:
    """Raise InvalidPolicy unless a policy can have this scope."""
    problems = []
    if scope.group_id is not None and scope.event_type:
        problems.append(("group_id", _("A group has its event type: leave that out.")))
    try:
        read_all(fields.SCOPE, {"event_type": scope.event_type})
    except InvalidValues as refusal:
        problems += refusal.problems.items()
    if problems:
        raise InvalidPolicy(problems)


def check_values(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return all columns as the table takes them; missing ones are None. Raises InvalidPolicy."""
    values = {name: columns.get(name) for name in COLUMNS}
    problems: list[tuple[str, str]] = []
    try:
        values |= read_all(_PLAIN, values)
    except InvalidValues as refusal:
        problems += refusal.problems.items()
    if values["backoff"] is None:
        values |= dict.fromkeys(_BACKOFF)
    if values["backoff"] == BackoffKind.FIXED:
        values["backoff_cap_seconds"] = None
    problems += [*_backoff(values), *_window(values)]
    if problems:
        raise InvalidPolicy(problems)
    return values


def _backoff(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    kind = values["backoff"]
    if kind not in BackoffKind.values:
        return
    columns = _BACKOFF[1:] if kind == BackoffKind.EXPONENTIAL else _BACKOFF[1:2]
    problems = [problem for name in columns for problem in _seconds(name, values[name])]
    yield from problems
    if not problems and len(columns) == 2 and values[_BACKOFF[2]] < values[_BACKOFF[1]]:
        yield (
            "backoff_cap_seconds",
            _("The longest wait is shorter than the first. Make it at least as long."),
        )


def _seconds(name: str, seconds: Any) -> Iterator[tuple[str, str]]:
    if seconds is None:
        yield name, _("{what} is missing: say how long.").format(what=_FIELDS[name].what)
    elif not _SECONDS[0] <= seconds <= _SECONDS[1]:
        yield name, _("{what} must be between 1 second and 31 days.").format(what=_FIELDS[name].what)


def _window(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if all(values[name] is None for name in _WINDOW):
        return
    days = values["window_days"]
    if not days:
        yield "window_days", _("A window without a day never opens. Choose at least one day.")
    elif wrong := [day for day in days.split(",") if day not in DAYS]:
        yield (
            "window_days",
            _("{day} is no day. The days are {names}.").format(day=quoted(wrong[0]), names=", ".join(DAYS)),
        )
    elif twice := duplicates(days.split(",")):
        yield "window_days", _("{day} stands twice among the days.").format(day=quoted(twice[0]))
    for name in ("window_begins", "window_ends"):
        if not isinstance(values[name], time):
            yield name, _("{what} is missing: write it as 22:00.").format(what=_FIELDS[name].what)
    zone = values["window_zone"]
    if not zone:
        yield "window_zone", _("Say by which clock: a time zone such as Europe/Berlin, or UTC.")
    elif not is_zone(zone):
        yield (
            "window_zone",
            _("There is no time zone {zone}. Write it as Europe/Berlin, or UTC.").format(zone=quoted(zone)),
        )
