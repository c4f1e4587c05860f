"""The filter's part ``rehearsed``: the predictions of one rehearsal."""

import re

from django.db.models import Q
from django.db.models.expressions import RawSQL
from django.utils.translation import gettext as _

from dlqconsole.engine.dead_letters.filter_parts import FilterPart, NotReadable
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import quoted

# the answers of a rehearsal; any other word behind its number is an error class
PREDICTIONS = {
    "succeed": "would succeed",
    "fail": "would fail",
    "stop": "would stop",
    "write": "it writes",
    "unknown": "nothing",
}


def _read(text: str) -> str:
    """Read a rehearsal's number, and its answer after a colon: ``12:succeed``, ``12:AirportUnknown``."""
    number, _colon, answer = text.partition(":")
    if as_id(number) is None or not re.fullmatch(r"[\w.]{0,200}", answer):
        raise NotReadable(
            _(
                "must be the number of a rehearsal, 12, or with what it said: 12:succeed, 12:fail,"
                " 12:stop, 12:write, 12:unknown, or an error class, 12:AirportUnknown; it is {text}"
            ).format(text=quoted(text))
        )
    return text.removesuffix(":")


def _condition(value: str) -> Q:
    """Return the condition: rehearsed in that operation, and with that answer where one is given."""
    number, _colon, answer = value.partition(":")
    column = "would" if answer in PREDICTIONS else "error_class"
    condition = f" AND p.{column} = %s" if answer else ""
    # the text has no value in it: a number and a word are its parameters
    text = f"SELECT p.dead_letter_id FROM rehearsal_predictions p WHERE p.operation_id = %s{condition}"  # noqa: S608
    return Q(pk__in=RawSQL(text, (int(number), *([answer] if answer else []))))  # noqa: S611


def _checks(value: str) -> list[tuple[str, str]]:
    """Return what must have been rehearsed: any dead letter, and one with that error class."""
    number, _colon, answer = value.partition(":")
    checks = [
        (
            number,
            _("names a rehearsal that is not here: {number} has looked at no dead letter of these").format(
                number=number
            ),
        )
    ]
    if answer and answer not in PREDICTIONS:
        checks.append(
            (
                value,
                _("names an error class that rehearsal {number} has not met: {answer}").format(
                    number=number, answer=quoted(answer)
                ),
            )
        )
    return checks


def _words(value: str) -> str:
    """Return ``AirportUnknown (operation 12)``."""
    number, _colon, answer = value.partition(":")
    return f"{PREDICTIONS.get(answer, answer) or 'anything'} (operation {number})"


REHEARSED = FilterPart(
    name="rehearsed",
    label=gettext_lazy("rehearsal says"),
    read=_read,
    condition=_condition,
    says=_words,
    found_by=_checks,
)
