"""Types for argparse: what a command line takes is read as the console's forms read it.

Bounds stay with the services, which say them to every caller; here only what is no value at all is refused.
"""

from argparse import (
    Action,
    ArgumentError,
    ArgumentTypeError,
    BooleanOptionalAction,
    Namespace,
    _ActionsContainer,
)
from collections.abc import Callable, Iterable
from typing import Any

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Field, Switch, YesNo
from dlqconsole.processing.inputs.numbers import LARGEST, as_id, read_count
from dlqconsole.processing.inputs.plain_text import checked_reason, flag, is_storable, quoted
from dlqconsole.processing.texts import printable


def item_id(text: str) -> int:
    """A row's number: digits and nothing else."""
    number = as_id(text)
    if number is None:
        raise ArgumentTypeError(f"{quoted(text)} is no number of a row")
    return number


def count(text: str) -> int:
    """A whole number: 14212 or 14,212."""
    return _refused_by(lambda: read_count(text, "it", 0, LARGEST))


def reason(text: str) -> str:
    """Read a reason, without the spaces around it. "" stays "": the command then says how to give one."""
    if not is_storable(text):  # each such byte comes as half a character
        raise ArgumentTypeError("it is not UTF-8: it holds half a character, or stray bytes")
    return _refused_by(lambda: checked_reason(text)) if text.strip() else ""


def _refused_by[T](read: Callable[[], T]) -> T:
    """Return what a reader returns; word its refusal for argparse, in one line with the option's name."""
    try:
        return read()
    except InvalidInput as problem:
        raise ArgumentTypeError(printable(str(problem))) from problem


class Once(Action):
    """Store the value of a flag that may be given once, and not with an empty value.

    An unset variable of a shell is an empty value: ignored, it would widen a selection.
    """

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option_string: Any = None) -> None:
        if isinstance(values, str) and not values.strip():
            raise ArgumentError(self, "nothing is in it; give a value, or leave the option out")
        _check_once(self, namespace, option_string)
        setattr(namespace, self.dest, values)


class YesOrNoOnce(BooleanOptionalAction):
    """Store yes or no of a flag that may be given once: --fifo, or --no-fifo."""

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option_string: Any = None) -> None:
        _check_once(self, namespace, option_string)
        super().__call__(parser, namespace, values, option_string)


def _check_once(action: Action, namespace: Namespace, option: Any) -> None:
    # a default is in the namespace already
    if getattr(namespace, action.dest, None) is not action.default:
        raise ArgumentError(action, f"{option or flag(action.dest)} is given twice")


def add_flags(parser: _ActionsContainer, fields: Iterable[Field]) -> None:
    """Declare the flags of the fields, for ``fields.read_all``. One that is not given is None."""
    for field in fields:
        how: dict[str, Any] = {"action": Once, "metavar": field.takes}
        if isinstance(field, Switch):
            how = {"action": "store_true", "default": None}
        elif isinstance(field, YesNo) and not field.empty_word:
            how = {"action": YesOrNoOnce}
        names = field.flags or (flag(field.name),)
        parser.add_argument(*names, dest=field.name, help=field.help.replace("%", "%%"), **how)
