"""Check a person's values for a playbook, and return them as the columns of its row."""

from collections.abc import Callable, Mapping
from typing import Any

from dlqconsole.contrib.playbooks import triggers
from dlqconsole.contrib.playbooks.errors import PlaybookRefused
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.counts import groups
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import FailureGroup
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import check_bounds
from dlqconsole.processing.inputs.plain_text import check_text, quoted

LONGEST_NAME = 100
MOST_LETTERS, MOST_OPERATIONS = 1_000_000, 1_000
NO_NAME = "Give the playbook a name: it stands beside everything that it does."
NO_FILTER = (
    "A playbook is about a group, or what a filter matches: with no filter it would act on every dead letter"
    " there is."
)
MORE_THAN_A_DAY = "An hour's budget of {per_hour:,} is more than the {per_day:,} of a whole day."

type Values = Mapping[str, Any]


def check(values: Values) -> dict[str, Any]:
    """Return the columns. ``values``: name, filter, trigger, trigger_options, kind, options and the budget.

    Raises PlaybookRefused with all problems, each beside its field.
    """
    problems: list[tuple[str, str]] = []

    def collect[T](field: str, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except (OperationRefused, InvalidInput) as refusal:
            problems.append((field, str(refusal)))
        except InvalidFilter as refusal:
            problems.extend((field, sentence) for sentence in refusal.problems)
        return None

    columns = {
        "name": collect("name", lambda: _name(values["name"])),
        "trigger": collect("trigger", lambda: triggers.get(values["trigger"]).name),
        "trigger_options": collect(
            "trigger_options", lambda: triggers.get(values["trigger"]).read(values["trigger_options"])
        ),
        "kind": collect("kind", lambda: _kind(values["kind"])),
        "options": collect("options", lambda: _options(values)),
        "per_hour": collect(
            "per_hour", lambda: _number(values["per_hour"], "The budget an hour", MOST_LETTERS)
        ),
        "per_day": collect("per_day", lambda: _number(values["per_day"], "The budget a day", MOST_LETTERS)),
        "operations_per_day": collect(
            "operations_per_day",
            lambda: _number(values["operations_per_day"], "The number of operations a day", MOST_OPERATIONS),
        ),
        "tells_owner": bool(values["tells_owner"]),
        **(collect("filter", lambda: _filter(values)) or {}),
    }
    problems += [
        (name, "Say how many at most.")
        for name in ("per_day", "operations_per_day")
        if _is_missing(values, name)
    ]
    if (columns["per_hour"] or 0) > (columns["per_day"] or MOST_LETTERS):
        problems.append(("per_hour", MORE_THAN_A_DAY.format(**columns)))
    if problems:
        raise PlaybookRefused(list(dict.fromkeys(problems)))
    return columns


def _is_missing(values: Values, name: str) -> bool:
    return values[name] is None


def _name(text: str) -> str:
    name = text.strip()
    if not name:
        raise OperationRefused(NO_NAME)
    check_text(name, "The name", LONGEST_NAME)
    return name


def _kind(name: str) -> str:
    names = [kind.name for kind in kinds.for_standing_rules()]
    if name not in names:
        raise OperationRefused(f"A playbook may {' or '.join(names)} by itself; not {quoted(name)}.")
    return name


def _options(values: Values) -> dict[str, Any]:
    kind = kinds.get(_kind(values["kind"]))
    options = kind.read(values["options"])
    for option in kind.options:
        if not option.by_rule and options[option.name]:
            raise OperationRefused(f"“{option.label}” is for a person each time, not for a standing rule.")
    return options


def _number(value: int | None, what: str, most: int) -> int | None:
    if value is not None:
        check_bounds(value, what, 1, most)
    return value


def _filter(values: Values) -> dict[str, Any]:
    filter = DeadLetterFilter.parse(values["filter"], beside=())
    if filter == DeadLetterFilter():
        raise OperationRefused(NO_FILTER)
    _check_state(values, filter.status)
    if filter.group is not None and not _is_there(filter.group):
        raise OperationRefused(f"There is no group {filter.group}.")
    return {"filter": filter.canonical(), "group_id": filter.group}


def _is_there(group_id: int) -> bool:
    return FailureGroup.objects.filter(pk=group_id).exists() and groups.visibility(group_id)[0]


def _check_state(values: Values, status: str) -> None:
    """Refuse a status that the kind does not take by itself: the filter would never match."""
    try:
        takes = [str(state) for state in kinds.get(_kind(values["kind"])).unattended]
    except OperationRefused:
        return
    if status and status not in takes:
        raise OperationRefused(
            f"The filter asks for what is {status}; by itself it takes what is {' or '.join(takes)}."
        )
