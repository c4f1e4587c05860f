"""How `manage.py deadletters` keeps what is typed: each option once, and never with nothing in it.

An unset variable of a shell is an empty value: taken as "not given" it would widen what is asked for.
"""

from argparse import Action, ArgumentError, Namespace
from typing import Any

from dlqconsole.processing.inputs.names import flag


class Once(Action):
    """Keep the value of an option that is given one time."""

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option_string: Any = None) -> None:
        _keep(self, namespace, self.dest, values)


class FormerName(Action):
    """What an option was called once: it does the same, and says so."""

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option_string: Any = None) -> None:
        _keep(self, namespace, self.dest, values)
        _note(namespace, f"{self.option_strings[0]} is called {flag(self.dest)} now; it still works.")


class SwitchOn(Action):
    """Switch a group of options on. ``meant`` is the one that its number meant once."""

    def __init__(self, *args: Any, meant: str, **more: Any) -> None:
        super().__init__(*args, **more)
        self.meant = meant

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option_string: Any = None) -> None:
        _refuse_nothing(self, values)
        _keep(self, namespace, self.dest, self.const)
        if values != self.const:
            _keep(self, namespace, self.meant, values)
            now = self.option_strings[0]
            _note(namespace, f"{now} N is called {now} {flag(self.meant)} N now; it still works.")


def _keep(action: Action, namespace: Namespace, name: str, value: Any) -> None:
    _refuse_nothing(action, value)
    if getattr(namespace, name, None) is not None:
        raise ArgumentError(action, f"{flag(name)} is given twice")
    setattr(namespace, name, value)


def _refuse_nothing(action: Action, value: Any) -> None:
    if isinstance(value, str) and not value.strip():
        raise ArgumentError(action, "nothing is in it; give a value, or leave the option out")


def _note(namespace: Namespace, sentence: str) -> None:
    namespace.former_names = [*namespace.former_names, sentence]
