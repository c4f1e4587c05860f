"""The category and group that the failure rules give a failure, before it is written."""

from dataclasses import replace
from typing import Any

from dlqconsole.core import prepared
from dlqconsole.core.handling.events import HandlerResult
from dlqconsole.core.sql import sql
from dlqconsole.processing.outcomes import Failed

EVENT_TYPE_LIMIT = 255

# a category, and a failure group where there is one
type Class = tuple[str, int | None]


def ruled_category(event_type: str, failure: Failed) -> str:
    """Return the category that counts for a failure: by the rules, else by the error itself.

    A dead letter gets the same from the database when it is written.
    """
    rows = prepared.run(sql("rules.ruled_category"), _values(event_type, failure))()
    return str(rows[0][0]) if rows else failure.category


def with_ruled_category(result: HandlerResult) -> HandlerResult:
    """Return the result; a failure gets the category of the failure rules, which are asked once."""
    outcome = result.outcome
    if not isinstance(outcome, Failed) or outcome.ruled_category is not None:
        return result
    category = ruled_category(result.identity.event_type, outcome)
    return HandlerResult(result.identity, replace(outcome, ruled_category=category))


def class_of(event_type: str, failure: Failed) -> Class:
    """Return a failure's category and group: by the rules, else by the error itself.

    A dead letter gets the same from the database when it is written.
    """
    rows = prepared.run(sql("rules.ruled"), _values(event_type, failure))()
    return (str(rows[0][0]), int(rows[0][1])) if rows else (failure.category, None)


def _values(event_type: str, failure: Failed) -> dict[str, Any]:
    return {
        "event_type": event_type[:EVENT_TYPE_LIMIT],
        "category": failure.category,
        "reason": failure.reason,
        "stacktrace": failure.stacktrace,
    }
