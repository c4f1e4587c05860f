"""The rules for a changed payload: readable exactly, still the same event, and of its schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import exact_json
from .decoded import OK, SANITISED, Decoded
from .errors import MalformedEvent
from .events import Event
from .handlers import Registry
from .limits import DEFAULT_LIMITS, Limits
from .payloads import decode, decode_text

IDENTITY = ("specversion", "id", "source", "type")
_BOM = "\ufeff"


class EditRefused(Exception):
    """A payload that may not be stored; ``problems`` holds one sentence each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Before:
    """The dead letter whose payload is to change: its text (None: not JSON), and who it is."""

    payload: Decoded
    event_type: str
    source: str
    source_key: str
    headers: Mapping[str, Any]


def check_edit(before: Before, text: str, registry: Registry, limits: Limits = DEFAULT_LIMITS) -> Decoded:
    """Return what to store for ``text``. Raises EditRefused with every reason against it."""
    after = read_exactly(text, limits)
    if problem := _identity_problem(before.payload, after.value):
        raise EditRefused([problem])
    if problems := _schema_problems(before, after.value, registry):
        raise EditRefused(problems)
    return after


def read_exactly(text: str, limits: Limits = DEFAULT_LIMITS) -> Decoded:
    """Read a text that must be stored exactly as it says. Raises EditRefused with the place."""
    if text.startswith(_BOM):
        raise EditRefused(["The text begins with a byte order mark at line 1, column 1. Take it away."])
    after = decode_text(text, limits)
    if after.raw is not None:  # it is kept as it stands, with its spaces
        after = decode(text, limits)
    if after.state != OK:
        problem = after.problem or "not JSON"
        raise EditRefused([f"{problem[0].upper()}{problem[1:]}."])
    return after


def says_the_same(before: Decoded, after: Decoded) -> bool:
    """Tell whether two payloads mean the same, whatever their spaces and the order of their keys."""
    if before.state != OK or before.json_text is None or after.json_text is None:
        return False
    return exact_json.canonical(before.json_text) == exact_json.canonical(after.json_text)


def _identity_problem(before: Decoded, after: Any) -> str:
    """A CloudEvent names itself; changing the name would make another event of it."""
    if before.state not in (OK, SANITISED):
        return ""
    was_event = isinstance(before.value, dict) and "specversion" in before.value
    is_event = isinstance(after, dict) and "specversion" in after
    if was_event != is_event:
        return (
            f"The payload is {'a' if was_event else 'no'} CloudEvent: specversion may not be"
            f" {'taken away' if was_event else 'added'}, it would become another event."
        )
    if not was_event:
        return ""
    for name in IDENTITY:
        was = before.value.get(name)
        # a missing or unreadable attribute may be mended
        if _is_said(name, was) and after.get(name) != was:
            return f"{name} may not change: it says which event this is, and it is {_quote(was)}."
    return ""


def _is_said(name: str, value: Any) -> bool:
    return value == "1.0" if name == "specversion" else isinstance(value, str) and bool(value)


def _schema_problems(before: Before, value: Any, registry: Registry) -> list[str]:
    """Return the objections of the handler's schema to the event's data, each with its JSON pointer."""
    # plain data is told who it is, as when its handler runs
    identity = {"ce_type": before.event_type, "ce_source": before.source, "ce_id": before.source_key}
    try:
        event = Event.from_payload(
            value, {**before.headers, **identity}, queue=before.event_type, message_id=before.source_key
        )
    except MalformedEvent as error:
        return [f"It would not be a readable event: {error}."]
    root = "/data" if isinstance(value, dict) and "specversion" in value else ""
    return [f"{root}{pointer or ''}: {message}" if root or pointer else f"the whole payload: {message}"
            for pointer, message in registry.schema_problems(event)]  # fmt: skip


def _quote(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
