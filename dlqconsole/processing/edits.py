"""The rules for a changed payload: readable exactly, still the same event, and of its schema."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dlqconsole.processing.inputs.sentences import Sentence
from dlqconsole.processing.strict_json import OK, SANITISED, Decoded

from . import exact_json
from .errors import MalformedEvent
from .events import Event
from .handlers import Registry
from .inputs.plain_text import quoted
from .limits import DEFAULT_LIMITS, Limits
from .payloads import decode, decode_text

IDENTITY = ("specversion", "id", "source", "type")
_BOM = "\ufeff"

MOST = 100
LONGEST_NAME = 255
LONGEST_VALUE = 8 * 1024
# The event's identity, its way, and how to read it: set by machines, and read by machines.
_PROTECTED_STARTS = (
    "ce_", "ce-", "cloudevents", "dlq_", "dlq-", "x-death", "x-first-death", "x-last-death", "x-delivery",
)  # fmt: skip
_UNSTORABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_PROTECTED = {
    "traceparent", "tracestate", "baggage", "content-type", "content-encoding", "datacontenttype",
    "message-id", "correlation-id",
}  # fmt: skip


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
        raise EditRefused(
            [Sentence("The text begins with a byte order mark at line 1, column 1. Take it away.")]
        )
    after = decode_text(text, limits)
    if after.raw is not None:  # it is kept as it stands, with its spaces
        after = decode(text, limits)
    if after.state != OK:
        problem = after.problem or "not JSON"
        sentence = f"{problem[0].upper()}{problem[1:]}"
        raise EditRefused([Sentence("{problem_sentence}.", problem_sentence=sentence)])
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
        if was_event:
            return Sentence(
                "The payload is a CloudEvent: specversion may not be taken away, it would become another"
                " event."
            )
        return Sentence(
            "The payload is no CloudEvent: specversion may not be added, it would become another event."
        )
    if not was_event:
        return ""
    for name in IDENTITY:
        was = before.value.get(name)
        # a missing or unreadable attribute may be mended
        if _is_said(name, was) and after.get(name) != was:
            return Sentence(
                "{name} may not change: it says which event this is, and it is {was}.",
                name=name,
                was=_quote(was),
            )
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
        return [Sentence("It would not be a readable event: {error}.", error=error)]
    root = "/data" if isinstance(value, dict) and "specversion" in value else ""
    return [
        Sentence("{place}: {problem}", place=f"{root}{pointer}", problem=problem)
        if root or pointer
        else Sentence("the whole payload: {problem}", problem=problem)
        for pointer, problem in registry.schema_problems(event)
    ]


def _quote(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def is_protected(name: str, value: Any = "") -> bool:
    """Tell whether only machines change it. A value that is no text is protected, too."""
    lower = name.lower()
    return not isinstance(value, str) or lower in _PROTECTED or lower.startswith(_PROTECTED_STARTS)


def rows(json_text: str) -> list[tuple[str, str, bool]]:
    """The stored headers as name, text and whether it is protected, in the database's order."""
    return [
        (name, value if isinstance(value, str) else exact_json.dumps(value), is_protected(name, value))
        for name, value in exact_json.loads(json_text).items()
    ]


def replace_headers(json_text: str, new: Mapping[str, str]) -> str:
    """Return the headers, with ``new`` in place of all that a person may change, as JSON text.

    Raises EditRefused with a sentence for each header that may not be so.
    """
    before = exact_json.loads(json_text)
    ours = {name: value for name, value in before.items() if is_protected(name, value)}
    if problems := [problem for name, value in new.items() if (problem := _problem(name, value, ours))]:
        raise EditRefused(problems)
    if len(ours) + len(new) > MOST:
        raise EditRefused(
            [Sentence("These are {ours:,} headers, more than {most}.", ours=len(ours) + len(new), most=MOST)]
        )
    return exact_json.dumps(ours | dict(new))


def _problem(name: str, value: str, ours: Mapping[str, Any]) -> str:
    title = Sentence("The header {name}", name=quoted(name, 60))
    if not name or len(name) > LONGEST_NAME:
        return Sentence("The name of a header has 1 to {longest_name} characters.", longest_name=LONGEST_NAME)
    if name in ours or is_protected(name):
        return Sentence(
            "{title} is protected: it says which event this is, or how it came here.", title=title
        )
    if _unstorable(name) or _unstorable(value):
        return Sentence(
            "{title} holds a line break or another character that a header cannot carry.", title=title
        )
    if len(value.encode()) > LONGEST_VALUE:
        return Sentence(
            "{title} is longer than {longest_value} KB.", title=title, longest_value=LONGEST_VALUE // 1024
        )
    return ""


def _unstorable(text: str) -> bool:
    return _UNSTORABLE.search(text) is not None
