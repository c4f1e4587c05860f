"""A queue's policy as a form: its fields, and what a person changed in them."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.engine.models.queues import NotifyMode, Retention

_LABELS = {
    "max_retries": ("Retries on the queue", "then it becomes a dead letter"),
    "lease_seconds": ("Lease, seconds", "how long a consumer holds a message without a sign of life"),
    "backoff_base_seconds": ("First delay, seconds", "before the first retry"),
    "backoff_factor": ("Each delay times", "1 keeps it the same"),
    "backoff_cap_seconds": ("Longest delay, seconds", ""),
    "backoff_jitter": ("Jitter", "the share of a delay that is drawn by lot, 0 to 1"),
    "retention": ("Completed messages are", ""),
    "archive_days": ("Archived for, days", "where they are archived"),
    "notify": ("Consumers are woken", ""),
    "rate_limit": ("Claims a second", "by all consumers together; empty for no limit"),
    "fifo_groups": ("Groups", ""),
    "unlogged": ("Durability", "can only be changed while the queue is empty"),
}
_CHOICES: dict[str, list[tuple[str, str]]] = {
    "retention": [(choice.value, str(choice.label)) for choice in Retention],
    "notify": [(choice.value, str(choice.label)) for choice in NotifyMode],
    "fifo_groups": [("yes", "One message at a time, in order"), ("no", "Only a label")],
    "unlogged": [("no", "Logged"), ("yes", "Unlogged: faster, and gone after a crash of the database")],
}
_FLAGS = {"yes": True, "no": False}
_WAS = "was_"


def fields(policy: Mapping[str, Any], typed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One entry a field: its value as it stands, or as somebody just typed it."""
    return [
        {
            "name": name,
            "label": label,
            "hint": hint,
            "was": typed.get(_WAS + name, _text(policy[name]))[:200],
            "value": typed.get(name, _text(policy[name]))[:200],
            "choices": _CHOICES.get(name, []),
        }
        for name, (label, hint) in _LABELS.items()
    ]


def given(posted: Mapping[str, Any]) -> dict[str, Any]:
    """What differs from what the person saw: another's change to another field is not undone."""
    return {
        name: _value(name, posted[name].strip())
        for name in _LABELS
        if name in posted and posted[name].strip() != posted.get(_WAS + name, "")
    }


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) and value.is_integer() and value < 1e6 else str(value)


def _value(name: str, text: str) -> Any:
    """The typed text as a value; what cannot be one is left as it is, for the sentence that refuses it."""
    if name in ("fifo_groups", "unlogged"):
        return _FLAGS.get(text, text)
    if name in _CHOICES:
        return text
    if not text:
        return None if name == "rate_limit" else text
    for kind in (int, float):
        try:
            return kind(text) if len(text) < 40 else text
        except ValueError:
            continue
    return text
