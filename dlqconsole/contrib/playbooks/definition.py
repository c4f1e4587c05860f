"""What a playbook may be: what a person gave, checked, as the columns of its row."""

from collections.abc import Callable, Mapping
from typing import Any

from dlqconsole.contrib.playbooks import triggers
from dlqconsole.contrib.playbooks.errors import PlaybookRefused
from dlqconsole.engine.counts import groups
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.errors import InvalidFilter
from dlqconsole.engine.models import FailureGroup
from dlqconsole.engine.reach import Reach
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

type Given = Mapping[str, Any]


def checked(given: Given, reach: Reach) -> dict[str, Any]:
    """The columns. ``given``: name, filter, trigger, trigger_options, kind, options and the budget.

    Raises PlaybookRefused with all problems, each beside its field.
    """
    problems: list[tuple[str, str]] = []

    def part[T](field: str, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except (OperationRefused, InvalidInput) as refusal:
            problems.append((field, str(refusal)))
        except InvalidFilter as refusal:
            problems.extend((field, sentence) for sentence in refusal.problems)
        return None

    columns = {
        "name": part("name", lambda: _name(given["name"])),
        "trigger": part("trigger", lambda: triggers.get(given["trigger"]).name),
        "trigger_options": part(
            "trigger_options", lambda: triggers.get(given["trigger"]).read(given["trigger_options"], reach)
        ),
        "kind": part("kind", lambda: _kind(given["kind"])),
        "options": part("options", lambda: _options(given, reach)),
        "per_hour": part("per_hour", lambda: _number(given["per_hour"], "The budget an hour", MOST_LETTERS)),
        "per_day": part("per_day", lambda: _number(given["per_day"], "The budget a day", MOST_LETTERS)),
        "operations_per_day": part(
            "operations_per_day",
            lambda: _number(given["operations_per_day"], "The number of operations a day", MOST_OPERATIONS),
        ),
        "tells_owner": bool(given["tells_owner"]),
        **(part("filter", lambda: _filter(given, reach)) or {}),
    }
    problems += [
        (name, "Say how many at most.") for name in ("per_day", "operations_per_day") if _lacks(given, name)
    ]
    if (columns["per_hour"] or 0) > (columns["per_day"] or MOST_LETTERS):
        problems.append(("per_hour", MORE_THAN_A_DAY.format(**columns)))
    if problems:
        raise PlaybookRefused(list(dict.fromkeys(problems)))
    return columns


def _lacks(given: Given, name: str) -> bool:
    return given[name] is None


def _name(text: str) -> str:
    name = text.strip()
    if not name:
        raise OperationRefused(NO_NAME)
    check_text(name, "The name", LONGEST_NAME)
    return name


def _kind(name: str) -> str:
    known = [kind.name for kind in kinds.for_standing_rules()]
    if name not in known:
        raise OperationRefused(f"A playbook may {' or '.join(known)} by itself; not {quoted(name)}.")
    return name


def _options(given: Given, reach: Reach) -> dict[str, Any]:
    kind = kinds.get(_kind(given["kind"]))
    options = kind.read(given["options"], reach)
    for option in kind.options:
        if not option.by_rule and options[option.name]:
            raise OperationRefused(f"“{option.label}” is for a person each time, not for a standing rule.")
    return options


def _number(value: int | None, what: str, most: int) -> int | None:
    if value is not None:
        check_bounds(value, what, 1, most)
    return value


def _filter(given: Given, reach: Reach) -> dict[str, Any]:
    found = DeadLetterFilter.parse(given["filter"], beside=())
    if found == DeadLetterFilter():
        raise OperationRefused(NO_FILTER)
    _check_state(given, found.status)
    if found.group is not None and not _is_there(found.group, reach):
        raise OperationRefused(f"There is no group {found.group}.")
    return {"filter": found.canonical(), "group_id": found.group}


def _is_there(group_id: int, reach: Reach) -> bool:
    return FailureGroup.objects.filter(pk=group_id).exists() and groups.visibility(group_id, reach)[0]


def _check_state(given: Given, status: str) -> None:
    """A filter of what the kind does not take by itself would never match."""
    try:
        takes = [str(state) for state in kinds.get(_kind(given["kind"])).unattended]
    except OperationRefused:
        return
    if status and status not in takes:
        raise OperationRefused(
            f"The filter asks for what is {status}; by itself it takes what is {' or '.join(takes)}."
        )
