"""The flags of declared fields: a command line reads a value by the field's own rule, as a form does."""

from argparse import Action, ArgumentError, BooleanOptionalAction, Namespace, _ActionsContainer
from collections.abc import Iterable
from typing import Any

from dlqconsole.processing.inputs.fields import Field, Switch, YesNo
from dlqconsole.processing.inputs.names import flag


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
