"""Reads the settings of a process and checks them all, so that a person learns of every mistake at once."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from environs import Env, EnvError, EnvValidationError, ValidationError, validate

from . import exposure, unknown_names
from .demo_environment import load_demo_environment
from .given import is_given
from .setting import Number, Reader, Row, Switch, Text, Words
from .shortened import shortened
from .table import BY_NAME, IN_ORDER, TABLE

# Python also takes 2_000 and the digits of every script
_DIGITS = re.compile("-?[0-9]{1,40}")


class BadSettings(ValueError):
    """What cannot be used, one sentence each; never holds the value of a secret."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


class Settings:
    """The checked values. KeyError for one that this kind of process does not read, or of another type."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def number(self, name: str) -> int:
        """A whole number inside its bounds."""
        return int(self._get(name, Number))

    def switch(self, name: str) -> bool:
        """Whether it is on."""
        return bool(self._get(name, Switch))

    def text(self, name: str) -> str:
        """A text; empty when there is neither a value nor a default."""
        return str(self._get(name, Text))

    def words(self, name: str) -> list[str]:
        """What stands between the commas."""
        return list(self._get(name, Words))

    def _get(self, name: str, kind: type[Row]) -> Any:
        if not isinstance(BY_NAME[name], kind):
            raise KeyError(f"{name} is no {kind.__name__}")
        return self._values[name]


def read_settings(reader: Reader, instead: Mapping[str, str] | None = None) -> Settings:
    """Read what this kind of process reads, with the settings of a running demo. Raises BadSettings.

    A name that is set to nothing counts as not set. ``instead``: texts that the program itself was given in
    place of the environment's.
    """
    load_demo_environment()
    unknown_names.say_once()
    values, problems = {}, []
    for row in TABLE:
        if reader in row.readers:
            try:
                values[row.name] = (instead or {}).get(row.name) or _value(row)
            except EnvError as error:
                problems.append(_sentence(row, error))
    problems += _out_of_order(values) + exposure.problems(values)
    if problems:
        raise BadSettings(problems)
    return Settings(values)


def _value(row: Row) -> Any:
    if os.environ.get(row.name):
        return _parsed(row, Env())
    if row.example:
        raise EnvError(f"{row.name} is not set")
    return row.default


def _parsed(row: Row, env: Env) -> Any:
    match row:
        case Number():
            if not _DIGITS.fullmatch(os.environ[row.name].strip()):
                raise EnvValidationError(f"{row.name} is no number", [])
            return env.int(row.name, validate=validate.Range(row.low, row.high))
        case Switch():
            return env.bool(row.name)
        case Words():
            return _given(env.list(row.name, validate=list(_validators_of_words(row))))
        case Text():
            return env.str(row.name, validate=list(_validators(row)))


def _out_of_order(values: Mapping[str, Any]) -> list[str]:
    """What is wrong with two numbers together."""
    read = [(low, high) for low, high in IN_ORDER if {low, high} <= values.keys()]
    return [
        f"{low} is {values[low]:,}; it must not be above {high}, which is {values[high]:,}."
        for low, high in read
        if values[low] > values[high]
    ]


def _validators(row: Text) -> list[Callable[[str], Any]]:
    choices = [validate.OneOf(row.choices)] if row.choices else []
    checks = [_as_validator(row.check)] if row.check else []
    return [*choices, *checks]


def _given(texts: Iterable[str]) -> list[str]:
    """Without the spaces around them, and without those that are nothing else."""
    return [text.strip() for text in texts if text.strip()]


def _validators_of_words(row: Words) -> Iterator[Callable[[list[str]], None]]:
    if row.check:
        yield _there_are_some
        yield _of_these(_as_validator(row.check), slice(1) if row.checks_first_only else slice(None))


def _there_are_some(texts: list[str]) -> None:
    if not _given(texts):
        raise ValidationError("There is nothing between its commas.")


def _of_these(check: Callable[[str], None], which: slice) -> Callable[[list[str]], None]:
    def validator(texts: list[str]) -> None:
        for text in _given(texts)[which]:
            check(text)

    return validator


def _as_validator(check: Callable[[str], object]) -> Callable[[str], None]:
    def validator(value: str) -> None:
        try:
            check(value)
        except ValueError as error:
            raise ValidationError(str(error)) from None

    return validator


def _sentence(row: Row, error: EnvError) -> str:
    """What is wrong, with which value, and what is allowed."""
    if not isinstance(error, EnvValidationError):
        return f"{row.name} is not set (for example {row.example}), and {_why_no_demo()}."
    if isinstance(row, Text | Words) and row.check:
        return f"{row.name} cannot be used. {' '.join(error.error_messages)}"
    if row.secret:
        return f"{row.name} cannot be used. It must be {row.allowed}."
    return f"{row.name} is {shortened(os.environ[row.name])}; it must be {row.allowed}."


def _why_no_demo() -> str:
    if is_given("DATABASE_URL"):
        return "with another DATABASE_URL than a running demo's nothing is taken from a demo"
    return "no demo is running in this checkout"
