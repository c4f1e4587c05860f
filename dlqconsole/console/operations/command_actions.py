"""Argument actions of `manage.py deadletters`: each option once, and never with an empty value.

An unset variable of a shell is an empty value: ignored, it would widen the selection.
"""

from argparse import Action, ArgumentError, Namespace
from typing import Any

from dlqconsole.processing.inputs.names import flag


class Once(Action):
    """Store the value of an option that may be given once."""

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option_string: Any = None) -> None:
        _store(self, namespace, self.dest, values)


class FormerName(Action):
    """A former name of an option: it does the same, and says so."""

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option_string: Any = None) -> None:
        _store(self, namespace, self.dest, values)
        _note(namespace, f"{self.option_strings[0]} is called {flag(self.dest)} now; it still works.")


class SwitchOn(Action):
    """Switch a group of options on. ``target`` is the option that its number set formerly."""

    def __init__(self, *args: Any, target: str, **more: Any) -> None:
        super().__init__(*args, **more)
        self.target = target

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option_string: Any = None) -> None:
        _refuse_empty(self, values)
        _store(self, namespace, self.dest, self.const)
        if values != self.const:
            _store(self, namespace, self.target, values)
            now = self.option_strings[0]
            _note(namespace, f"{now} N is called {now} {flag(self.target)} N now; it still works.")


def _store(action: Action, namespace: Namespace, name: str, value: Any) -> None:
    _refuse_empty(action, value)
    if getattr(namespace, name, None) is not None:
        raise ArgumentError(action, f"{flag(name)} is given twice")
    setattr(namespace, name, value)


def _refuse_empty(action: Action, value: Any) -> None:
    if isinstance(value, str) and not value.strip():
        raise ArgumentError(action, "nothing is in it; give a value, or leave the option out")


def _note(namespace: Namespace, sentence: str) -> None:
    namespace.former_names = [*namespace.former_names, sentence]
