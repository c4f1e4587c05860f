"""The names that a queue may have, and the values of its policy."""

import re
from collections.abc import Mapping
from typing import Any

from dlqconsole.core.errors import InvalidQueue, MalformedQueue
from dlqconsole.engine.models.queues import NotifyMode, Queue, Retention
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import check_number
from dlqconsole.processing.inputs.plain_text import quoted

LONGEST_NAME = 47
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_DAY, _MONTH = 86_400, 31 * 86_400
NUMBERS: dict[str, tuple[type, float, float]] = {
    "max_retries": (int, 0, 1_000_000),
    "lease_seconds": (int, 1, _DAY),
    "backoff_base_seconds": (float, 0, _MONTH),
    "backoff_factor": (float, 1, 100),
    "backoff_cap_seconds": (float, 0, _MONTH),
    "backoff_jitter": (float, 0, 1),
    "archive_days": (int, 1, 3_650),
    "rate_limit": (float, 0.001, 1_000_000),
}
_CHOICES = {"retention": Retention.values, "notify": NotifyMode.values}
_FLAGS = ("fifo_groups", "unlogged")
FIELDS = (*NUMBERS, *_CHOICES, *_FLAGS)
# The policy of a queue that nobody created. str: a choice travels as its plain value.
DEFAULTS: dict[str, Any] = {
    field.name: str(field.db_default) if isinstance(field.db_default, str) else field.db_default
    for field in Queue._meta.concrete_fields
    if field.name in FIELDS
}


def check_new_name(name: str) -> str:
    """Return the name, if a queue may be created under it. Raises InvalidQueue."""
    if ":" in name:
        raise MalformedQueue(
            f"A queue cannot be called {quote(name)}: a colon names a queue of another system, which is"
            " attached, not created."
        )
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise MalformedQueue(
            f"A queue cannot be called {quote(name)}: a name has 1 to {LONGEST_NAME} letters (a to z),"
            " digits,"
            " dots, dashes and underscores, and starts with a letter or a digit."
        )
    return name


def check_kept_name(name: str) -> str:
    """Return the name, if a policy can be kept for a queue made by plain SQL. Raises InvalidQueue."""
    if ":" in name:
        raise InvalidQueue(
            f"{quote(name)} is a queue of another system: it is paused and changed over there."
            " manage.py attach changes how often its messages are tried here."
        )
    if not name or len(name) > LONGEST_NAME or "\x00" in name:
        raise InvalidQueue(
            f"No policy can be kept for {quote(name)}: that takes a name of at most {LONGEST_NAME}"
            " characters. Send to a queue with such a name instead."
        )
    return name


def check_policy(policy: Mapping[str, Any]) -> dict[str, Any]:
    """Return the policy, each value within its bounds. Raises InvalidQueue, one sentence for each problem."""
    problems = [problem for name, value in policy.items() if (problem := _problem(name, value))]
    if problems:
        raise MalformedQueue(" ".join(problems))
    return {
        name: NUMBERS[name][0](value) if _is_number(name, value) else value for name, value in policy.items()
    }


def quote(name: str) -> str:
    """Return a name for a sentence: quoted, and no longer than a line."""
    return quoted(name, 60)


def _is_number(name: str, value: Any) -> bool:
    return name in NUMBERS and value is not None


def words(name: str) -> str:
    """Return a part of the policy as a sentence about it begins."""
    return name.replace("_", " ").capitalize()


def _problem(name: str, value: Any) -> str:
    if name in NUMBERS:
        return _number_problem(name, value)
    if name in _CHOICES and value not in _CHOICES[name]:
        return f"{words(name)} is one of {', '.join(_CHOICES[name])}, not {quote(str(value))}."
    if name in _FLAGS and not isinstance(value, bool):
        return f"{words(name)} is yes or no, not {quote(str(value))}."
    return "" if name in FIELDS else f"A queue has no {words(name).lower()}."


def _number_problem(name: str, value: Any) -> str:
    kind, low, high = NUMBERS[name]
    if value is None and name == "rate_limit":
        return ""
    try:
        check_number(value, words(name), low, high, whole=kind is int)
    except InvalidInput as problem:
        return str(problem)
    return ""
