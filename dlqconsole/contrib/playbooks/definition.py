"""Check a person's values for a playbook, and return them as the columns of its row."""

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.contrib.playbooks import triggers
from dlqconsole.core.errors import EngineError, InvalidFilter
from dlqconsole.engine.counts import groups
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import FailureGroup
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import InvalidValues, Text, WholeNumber, read_all
from dlqconsole.processing.inputs.plain_text import quoted

_HOW_MANY = gettext_lazy("Say how many at most.")
NAME = Text(
    name="name",
    what=gettext_lazy("The name"),
    limit=100,
    no_value=gettext_lazy("Give the playbook a name: it stands beside everything that it does."),
    placeholder=gettext_lazy("Weather is back"),
)
PER_HOUR = WholeNumber(
    name="per_hour",
    what=gettext_lazy("The budget an hour"),
    label=gettext_lazy("Dead letters an hour, at most"),
    hint=gettext_lazy("Of the clock, UTC; empty: as many as in a day"),
    is_required=False,
    low=1,
    high=1_000_000,
)
PER_DAY = WholeNumber(
    name="per_day",
    what=gettext_lazy("The budget a day"),
    label=gettext_lazy("Dead letters a day, at most"),
    low=1,
    high=1_000_000,
    no_value=_HOW_MANY,
)
OPERATIONS_PER_DAY = WholeNumber(
    name="operations_per_day",
    what=gettext_lazy("The number of operations a day"),
    label=gettext_lazy("Operations a day, at most"),
    low=1,
    high=1_000,
    no_value=_HOW_MANY,
)
NO_FILTER = gettext_lazy(
    "A playbook is about a group, or what a filter matches: with no filter it would act"
    " on every dead letter there is."
)
MORE_THAN_A_DAY = gettext_lazy(
    "An hour's budget of {per_hour:,} is more than the {per_day:,} of a whole day."
)

type Values = Mapping[str, Any]


class PlaybookRefused(EngineError):
    """A playbook cannot be stored or changed so. ``problems``: all of them, as (field, sentence)."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__(" ".join(str(sentence) for _field, sentence in problems))
        self.problems = problems

    @classmethod
    def saying(cls, sentence: str) -> "PlaybookRefused":
        """An error with one sentence that is about no field."""
        return cls([("", sentence)])


class UnknownPlaybook(EngineError):
    """There is no playbook of that number."""


def check(values: Values) -> dict[str, Any]:
    """Return the columns. ``values``: name, filter, trigger, trigger_options, kind, options and the budget.

    Raises PlaybookRefused with all problems, each beside its field.
    """
    problems: list[tuple[str, str]] = []
    plain: dict[str, Any] = {}
    try:
        plain = read_all((NAME, PER_HOUR, PER_DAY, OPERATIONS_PER_DAY), values)
    except InvalidValues as refusal:
        problems += refusal.problems.items()

    def collect[T](field: str, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except (OperationRefused, InvalidInput) as refusal:
            problems.append((field, translated(refusal)))
        except InvalidFilter as refusal:
            problems.extend((field, sentence) for sentence in refusal.problems)
        return None

    columns = {
        **plain,
        "trigger": collect("trigger", lambda: triggers.get(values["trigger"]).name),
        "trigger_options": collect(
            "trigger_options", lambda: triggers.get(values["trigger"]).read(values["trigger_options"])
        ),
        "kind": collect("kind", lambda: _kind(values["kind"])),
        "options": collect("options", lambda: _options(values)),
        "tells_owner": bool(values["tells_owner"]),
        **(collect("filter", lambda: _filter(values)) or {}),
    }
    if (columns.get("per_hour") or 0) > (columns.get("per_day") or inf):
        problems.append(("per_hour", MORE_THAN_A_DAY.format(**columns)))
    if problems:
        raise PlaybookRefused(list(dict.fromkeys(problems)))
    return columns


def _kind(name: str) -> str:
    names = [kind.name for kind in kinds.for_standing_rules()]
    if name not in names:
        raise OperationRefused(
            _("A playbook may {names} by itself; not {name}.").format(
                names=" or ".join(names), name=quoted(name)
            )
        )
    return name


def _options(values: Values) -> dict[str, Any]:
    kind = kinds.get(_kind(values["kind"]))
    options = kind.read(values["options"])
    for option in kind.options:
        if not option.by_rule and options[option.name]:
            raise OperationRefused(
                _("“{label}” is for a person each time, not for a standing rule.").format(
                    label=option.field.label
                )
            )
    return options


def _filter(values: Values) -> dict[str, Any]:
    filter = DeadLetterFilter.parse(values["filter"], beside=())
    if filter == DeadLetterFilter():
        raise OperationRefused(NO_FILTER)
    _check_state(values, filter.status)
    if filter.group is not None and not _is_there(filter.group):
        raise OperationRefused(_("There is no group {group}.").format(group=filter.group))
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
            _("The filter asks for what is {status}; by itself it takes what is {names}.").format(
                status=status, names=" or ".join(takes)
            )
        )
