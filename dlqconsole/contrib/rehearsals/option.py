"""The option of other operations to take only dead letters that passed a rehearsal.

A rehearsal counts for the payload that was rehearsed, and for a day.
"""

from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from dlqconsole.contrib.rehearsals.models import Prediction
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations import visibility
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import OPEN, Operation
from dlqconsole.operations.options import Option
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Text
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import quoted

# the age up to which a rehearsal counts
VALID_HOURS = 24
_LONGEST = 1_000  # characters that somebody may type for a number


def _number(text: str) -> str:
    """Check the number of a rehearsal. Raises InvalidInput."""
    number = as_id(text)
    if number is None:
        raise InvalidInput(
            _("A rehearsal is meant by its number, such as 12; not {text}.").format(text=quoted(text, 60))
        )
    return str(number)


def _check_seen(number: str) -> None:
    """Check that a rehearsal is visible and still counts. Raises OperationRefused."""
    if not number:
        return
    operation = visibility.operations().filter(pk=int(number)).only("status", "finished_at").first()
    if operation is None:
        raise OperationRefused(_("There is no operation {number}.").format(number=number))
    _check_over(operation)


def _check_over(rehearsal: Operation) -> None:
    if not Prediction.objects.filter(operation_id=rehearsal.pk).exists():
        raise OperationRefused(
            _("Operation {pk} has rehearsed nothing: give the number of a rehearsal.").format(pk=rehearsal.pk)
        )
    if rehearsal.status in OPEN or rehearsal.finished_at is None:
        raise OperationRefused(
            _("Rehearsal {pk} is still {status}: wait for its end, or cancel it.").format(
                pk=rehearsal.pk, status=rehearsal.status
            )
        )
    age = timezone.now() - rehearsal.finished_at
    if age > timedelta(hours=VALID_HOURS):
        raise OperationRefused(
            _(
                "Rehearsal {pk} ended {total_seconds:,.0f} hours ago, longer than {valid_hours}:"
                " rehearse again."
            ).format(pk=rehearsal.pk, total_seconds=age.total_seconds() / 3600, valid_hours=VALID_HOURS)
        )


REHEARSAL = Option(
    field=Text(
        name="rehearsal",
        what=gettext_lazy("The rehearsal"),
        label=gettext_lazy("Only what passed the rehearsal, by its number"),
        hint=gettext_lazy("Items that would fail, were not rehearsed, or were edited since are skipped."),
        help="only what passed this rehearsal",
        placeholder=gettext_lazy("none"),
        metavar="ID",
        is_required=False,
        limit=_LONGEST,
        rule=_number,
    ),
    check_seen=_check_seen,
    recounts=True,
    by_rule=False,
    words=lambda number: _("only what passed rehearsal {number}").format(number=number) if number else "",
)
