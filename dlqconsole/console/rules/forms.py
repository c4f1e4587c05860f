"""A failure rule as a form and in words, and which dead letters it may be about."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from dlqconsole.engine.groups.rules import FIELDS, fields_of
from dlqconsole.engine.lifecycle.states import Category
from dlqconsole.engine.models import FailureRule

_LONGEST = 1000  # characters of a wrong value that are shown again
_CONDITIONS = {
    "event_type": ("Event type", "flight.*"),
    "error_class": ("Error class", "psycopg.errors.*, or UniqueViolation wherever it is from"),
    "sqlstate": ("SQLSTATE", "40001, 08*"),
    "http_status": ("HTTP status", "429, 5xx"),
    "pattern": ("Reason matches", "a regular expression of PostgreSQL, such as billing (said|says) no"),
}
_WORDS = {
    "event_type": "type is",
    "error_class": "class is",
    "sqlstate": "SQLSTATE is",
    "http_status": "HTTP status is",
    "pattern": "reason matches",
}


def form(given: Mapping[str, Any]) -> dict[str, Any]:
    """What the template shows: the conditions one by one, and what the rule sets."""
    values = {name: str(given.get(name) or "")[:_LONGEST] for name in FIELDS}
    return {
        "name": values["name"],
        "conditions": [
            {"name": name, "label": label, "hint": hint, "value": values[name]}
            for name, (label, hint) in _CONDITIONS.items()
        ],
        "category": values["category"],
        "categories": [(choice.value, choice.label) for choice in Category],
        "overrides": given.get("overrides") in (True, "yes"),
        "fingerprint": values["fingerprint"],
    }


def stored_form(rule: FailureRule) -> dict[str, Any]:
    """The form of a rule as it is kept."""
    return form(fields_of(rule))


def in_words(rule: FailureRule) -> dict[str, Any]:
    """One line of the list."""
    return {
        "rule": rule,
        "conditions": [
            {"label": label, "value": getattr(rule, name)}
            for name, label in _WORDS.items()
            if getattr(rule, name)
        ],
    }


def affected(given: Mapping[str, Any]) -> str:
    """The narrowest filter of the list that lets no dead letter out that the rule may be about."""
    values = {}
    event_type = str(given.get("event_type") or "")
    if event_type and "*" not in event_type:
        values["type"] = event_type
    longest = max(str(given.get("error_class") or "").split("*"), key=len).strip()
    if len(longest) > 2:
        values["reason"] = longest
    return urlencode(values)
