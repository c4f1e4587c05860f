"""What rehearsals have said: who asks for only what passed one asks here.

A prediction counts for the payload that was rehearsed, and for a day.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.reach import Reach
from dlqconsole.operations import visibility
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import OPEN, Operation, Prediction, Would
from dlqconsole.operations.options import Text
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import quoted

# the age up to which a rehearsal counts
VALID_HOURS = 24


def _number(text: str) -> str:
    """The number of a rehearsal; empty stays empty. Raises OperationRefused."""
    if not text:
        return ""
    number = as_id(text)
    if number is None:
        raise OperationRefused(f"A rehearsal is meant by its number, such as 12; not {quoted(text, 60)}.")
    return str(number)


def _check_seen(number: str, reach: Reach) -> None:
    """It still counts, and something of it is seen. Raises OperationRefused."""
    if not number:
        return
    found = visibility.operations(reach).filter(pk=int(number)).only("status", "finished_at").first()
    if found is None:
        raise OperationRefused(f"There is no operation {number}.")
    _check_over(found)


def rehearsal_of(options: Mapping[str, Any]) -> int | None:
    """By which rehearsal it goes; None: by none."""
    given = options.get(REHEARSAL.name)
    return int(given) if given else None


def values(options: Mapping[str, Any]) -> dict[str, int | None]:
    """What a statement shows that has ``{unrehearsed}`` in it."""
    return {"rehearsal": rehearsal_of(options)}


def passed(rows: QuerySet[DeadLetter], rehearsal: int | None) -> QuerySet[DeadLetter]:
    """Those of the rows that would succeed, and have the payload of which that was said; all without one."""
    if rehearsal is None:
        return rows
    said = Prediction.objects.filter(
        operation_id=rehearsal,
        would=Would.SUCCEED,
        dead_letter_id=OuterRef("pk"),
        payload_version=OuterRef("payload_version"),
    )
    found: QuerySet[DeadLetter] = rows.filter(Exists(said))
    return found


def _check_over(found: Operation) -> None:
    if not Prediction.objects.filter(operation_id=found.pk).exists():
        raise OperationRefused(f"Operation {found.pk} has rehearsed nothing: give the number of a rehearsal.")
    if found.status in OPEN or found.finished_at is None:
        raise OperationRefused(
            f"Rehearsal {found.pk} is still {found.status}: wait for its end, or cancel it."
        )
    age = timezone.now() - found.finished_at
    if age > timedelta(hours=VALID_HOURS):
        raise OperationRefused(
            f"Rehearsal {found.pk} ended {age.total_seconds() / 3600:,.0f} hours ago, longer than"
            f" {VALID_HOURS}: rehearse again."
        )


REHEARSAL = Text(
    name="rehearsal",
    label="Only what passed the rehearsal, by its number",
    help="only what passed this rehearsal",
    hint="What would fail, was not rehearsed, or was edited since is skipped.",
    placeholder="none",
    metavar="ID",
    words=lambda number: f"only what passed rehearsal {number}" if number else "",
    check=_number,
    check_seen=_check_seen,
    recounts=True,
    by_rule=False,
)
