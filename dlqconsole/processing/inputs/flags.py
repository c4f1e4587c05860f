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
        if getattr(namespace, self.dest, None) is not None:
            raise ArgumentError(self, f"{option_string or flag(self.dest)} is given twice")
        setattr(namespace, self.dest, values)


def add_flags(parser: _ActionsContainer, fields: Iterable[Field]) -> None:
    """Declare the flags of the fields, for ``fields.read_all``. One that is not given is None."""
    for field in fields:
        how: dict[str, Any] = {"action": Once, "metavar": field.takes}
        if isinstance(field, Switch):
            how = {"action": "store_true", "default": None}
        elif isinstance(field, YesNo) and not field.empty_word:
            how = {"action": BooleanOptionalAction}
        names = field.flags or (flag(field.name),)
        parser.add_argument(*names, dest=field.name, help=field.help.replace("%", "%%"), **how)
