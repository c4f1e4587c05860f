"""An option of an operation: typed, with bounds, and one name for it everywhere.

``undo_seconds`` is the field of the form, ``--undo-seconds`` on the command line, the key of what an
operation stores, and the word in the documents. ``formerly`` are names it had before: they are still read.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dlqconsole.engine.reach import Reach
from dlqconsole.operations.errors import OptionRefused
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import check_bounds, read_count
from dlqconsole.processing.inputs.plain_text import quoted

type Given = Mapping[str, Any]


def is_on(value: Any) -> bool:
    """Yes or no, by one rule for all switches: ``on`` or nothing. Raises OperationRefused."""
    if value is None or value == "":
        return False
    if isinstance(value, bool):
        return value
    if value == "on":
        return True
    raise OptionRefused(f"Say yes or no; it is {quoted(value)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What a kind of operation may be told. ``label`` stands on the form, ``help`` on the command line."""

    name: str
    label: str
    help: str
    formerly: tuple[str, ...] = ()
    # as the command line called it, with its dashes
    former_flags: tuple[str, ...] = ()
    # behind "Options" on the form; what is needed every time stands open
    folded: bool = True
    # below the field
    hint: str = ""
    placeholder: str = ""
    # another value acts on other items: the page counts again at once
    recounts: bool = False
    # how the value is called on the command line
    metavar: str = "N"
    # whether a standing rule may choose it; else only a person does, each time
    by_rule: bool = True
    # Asks the database about what a value names. Of what somebody does not see it raises the OperationRefused
    # of what never was, before anything else: whatever else it said would tell that it is there.
    check_seen: Callable[[Any, Reach], None] = field(default=lambda value, reach: None)
    # the value as a sentence for people; empty where there is nothing to say
    words: Callable[[Any], str] = field(default=lambda value: "")

    @property
    def names(self) -> tuple[str, ...]:
        """What it may be called; the first that is given counts."""
        return (self.name, *self.formerly)

    def given(self, values: Given) -> Any:
        """The raw value among those of a form, a command line or a stored operation; None: not given."""
        return next((values[name] for name in self.names if name in values), None)

    def read(self, value: Any) -> Any:
        """The checked value, the default for None. Raises OperationRefused with a sentence."""
        raise NotImplementedError

    def read_for(self, value: Any, reach: Reach) -> Any:
        """The same, where it names nothing that is out of somebody's reach. Raises OperationRefused."""
        found = self.read(value)
        self.check_seen(found, reach)
        return found

    def proposed(self) -> Any:
        """What a form proposes before anybody typed."""
        return self.read(None)

    def as_fields(self, value: Any) -> dict[str, Any]:
        """The value as the fields of a form."""
        return {self.name: value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Option):
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

    def proposed(self) -> int | None:
        return self.proposes() if self.proposes else self.default

    def as_fields(self, value: Any) -> dict[str, Any]:
        return {self.name: "" if value is None else value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate(Number):
    """Items a second; None: as fast as it goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seconds(Number):
    """A length of time in whole seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch(Option):
    """Off unless somebody says so. ``opposite`` is a former name that meant the contrary."""

    opposite: str = ""

    def given(self, values: Given) -> Any:
        if self.name not in values and self.opposite in values:
            return _contrary(values[self.opposite])
        return Option.given(self, values)

    def read(self, value: Any) -> bool:
        return is_on(value)

    def as_fields(self, value: Any) -> dict[str, Any]:
        return {self.name: "on"} if value else {}


def _contrary(value: Any) -> Any:
    """Of what is neither yes nor no itself: whoever reads it says so."""
    try:
        return not is_on(value)
    except OptionRefused:
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Option):
    """One of several values, in upper or lower case; ``sentence`` says which. The first is the default."""

    choices: tuple[tuple[str, str], ...]
    sentence: str

    def read(self, value: Any) -> str:
        name = str(value or "").strip().casefold()
        known = {choice.casefold(): choice for choice, _label in self.choices}
        if not name:
            return self.choices[0][0]
        if name not in known:
            raise OptionRefused(f"{self.sentence}; not {quoted(str(value).strip())}.")
        return known[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Option):
    """A text that ``check`` gives back as it is kept; it raises OperationRefused."""

    check: Callable[[str], str]
    lines: int = 1
    # the command line takes the name of a file that holds it
    is_file: bool = False

    def read(self, value: Any) -> str:
        return self.check(str(value or "").strip())

    def proposed(self) -> str:
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Option):
    """Options that belong together and are kept together: ``canary`` with ``probes`` is ``canary_probes``."""

    options: tuple[Option, ...]
    note: str = ""
    # the one that a number behind the group's own flag meant once, on the command line
    former_number: str = ""

    def field_names(self, option: Option) -> tuple[str, ...]:
        """What an option of the group is called on a form, the former names behind."""
        return tuple(f"{self.name}_{name}" for name in option.names)

    @property
    def fields(self) -> tuple[str, ...]:
        """What the options of the group are called on a form."""
        return tuple(self.field_names(option)[0] for option in self.options)

    def given(self, values: Given) -> Any:
        whole = Option.given(self, values)
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
