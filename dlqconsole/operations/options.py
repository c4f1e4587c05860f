"""An option of an operation: typed, with bounds, and one name for it everywhere.

``undo_seconds`` is the field of the form, ``--undo-seconds`` on the command line, the key of what an
operation stores, and the word in the documents. ``formerly`` are its former names: they are still read.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dlqconsole.operations.errors import OptionRefused
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import check_bounds, read_count
from dlqconsole.processing.inputs.plain_text import quoted

type Values = Mapping[str, Any]


def is_on(value: Any) -> bool:
    """Read yes or no, by one rule for all switches: ``on`` or nothing. Raises OperationRefused."""
    if value is None or value == "":
        return False
    if isinstance(value, bool):
        return value
    if value == "on":
        return True
    raise OptionRefused(f"Say yes or no; it is {quoted(value)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of a kind of operation. ``label`` stands on the form, ``help`` on the command line."""

    name: str
    label: str
    help: str
    formerly: tuple[str, ...] = ()
    # its former names on the command line, with their dashes
    former_flags: tuple[str, ...] = ()
    # hidden behind "Options" on the form; an option that is needed every time is not
    is_folded: bool = True
    # below the field
    hint: str = ""
    placeholder: str = ""
    # another value selects other items: the page counts again at once
    recounts: bool = False
    # the name of the value on the command line
    metavar: str = "N"
    # may a standing rule choose it; if not, only a person does, each time
    by_rule: bool = True
    # Checks in the database that the caller sees the thing that a value names. If not, it raises the same
    # OperationRefused as for a thing that does not exist: any other answer would tell that it exists.
    check_seen: Callable[[Any], None] = field(default=lambda value: None)
    # the value as a sentence for people; empty where there is nothing to say
    words: Callable[[Any], str] = field(default=lambda value: "")

    @property
    def names(self) -> tuple[str, ...]:
        """Its names, the former ones too; the first that has a value counts."""
        return (self.name, *self.formerly)

    def raw_value(self, values: Values) -> Any:
        """The raw value among those of a form, a command line or a stored operation; None: there is none."""
        return next((values[name] for name in self.names if name in values), None)

    def read(self, value: Any) -> Any:
        """Check and return the value; the default for None. Raises OperationRefused with a sentence."""
        raise NotImplementedError

    def read_for(self, value: Any) -> Any:
        """Read the value and check that it names nothing outside the scope. Raises OperationRefused."""
        checked_value = self.read(value)
        self.check_seen(checked_value)
        return checked_value

    def proposal(self) -> Any:
        """The value that a form proposes at first."""
        return self.read(None)

    def as_fields(self, value: Any) -> dict[str, Any]:
        """The value as the fields of a form."""
        return {self.name: value}


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberOption(Option):
    """A whole number between two bounds. ``what`` begins a sentence about it."""

    what: str
    low: int
    high: int
    default: int | None
    proposes: Callable[[], int] | None = None

    def read(self, value: Any) -> int | None:
        text = "" if value is None else str(value).strip()
        if not text:
            return self.default
        try:
            if isinstance(value, int) and not isinstance(value, bool):
                check_bounds(value, self.what, self.low, self.high)
                return value
            return read_count(text, self.what, self.low, self.high)
        except InvalidInput as problem:
            raise OptionRefused(str(problem)) from problem

    def proposal(self) -> int | None:
        return self.proposes() if self.proposes else self.default

    def as_fields(self, value: Any) -> dict[str, Any]:
        return {self.name: "" if value is None else value}


@dataclass(frozen=True, slots=True, kw_only=True)
class RateOption(NumberOption):
    """Items a second; None: as fast as it goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondsOption(NumberOption):
    """A length of time in whole seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchOption(Option):
    """Yes or no; the default is no. ``opposite`` is a former name that meant the contrary."""

    opposite: str = ""

    def raw_value(self, values: Values) -> Any:
        if self.name not in values and self.opposite in values:
            return _contrary(values[self.opposite])
        return Option.raw_value(self, values)

    def read(self, value: Any) -> bool:
        return is_on(value)

    def as_fields(self, value: Any) -> dict[str, Any]:
        return {self.name: "on"} if value else {}


def _contrary(value: Any) -> Any:
    """Negate a value; one that is neither yes nor no stays as it is, for the reader to refuse."""
    try:
        return not is_on(value)
    except OptionRefused:
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceOption(Option):
    """One of several values, in upper or lower case; ``sentence`` lists them. The first is the default."""

    choices: tuple[tuple[str, str], ...]
    sentence: str

    def read(self, value: Any) -> str:
        name = str(value or "").strip().casefold()
        by_casefold = {choice.casefold(): choice for choice, _label in self.choices}
        if not name:
            return self.choices[0][0]
        if name not in by_casefold:
            raise OptionRefused(f"{self.sentence}; not {quoted(str(value).strip())}.")
        return by_casefold[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextOption(Option):
    """A text. ``check`` returns it as it is stored, or raises OperationRefused."""

    check: Callable[[str], str]
    lines: int = 1
    # the command line takes the name of a file that holds it
    is_file: bool = False

    def read(self, value: Any) -> str:
        return self.check(str(value or "").strip())

    def proposal(self) -> str:
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupOption(Option):
    """Options that are stored together: ``probes`` of ``canary`` is the field ``canary_probes``."""

    options: tuple[Option, ...]
    note: str = ""
    # the option that a number behind the group's own flag meant formerly, on the command line
    former_number: str = ""

    def field_names(self, option: Option) -> tuple[str, ...]:
        """The names of an option of the group on a form, the former names last."""
        return tuple(f"{self.name}_{name}" for name in option.names)

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the group's options on a form."""
        return tuple(self.field_names(option)[0] for option in self.options)

    def raw_value(self, values: Values) -> Any:
        whole = Option.raw_value(self, values)
        if whole not in ("on", True):
            return whole
        return {
            option.name: next((values[name] for name in self.field_names(option) if name in values), None)
            for option in self.options
        }

    def read(self, value: Any) -> dict[str, Any] | None:
        names = [option.name for option in self.options]
        if not isinstance(value, Mapping):
            value = dict.fromkeys(names) if is_on(value) else {}
        if not value:
            return None
        if value.keys() - set(names):
            raise OptionRefused(f"A {self.name} has {', '.join(names)}.")
        return {option.name: option.read(value.get(option.name)) for option in self.options}

    def as_fields(self, value: Any) -> dict[str, Any]:
        fields = {f"{self.name}_{name}": each for name, each in (value or {}).items()}
        return {self.name: "on"} | fields if value else {}
