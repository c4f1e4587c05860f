"""Values that a person may give. Each is declared once: forms, command lines and services are made of it.

A field reads a typed text (``read``), checks a program's value (``check``), and writes a value as people type
it (``text``). Its ``what`` begins a refusal: “The note has 12,000 characters; the limit is 10,000.”
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import LARGEST, check_number, read_count, read_measure
from dlqconsole.processing.inputs.plain_text import check_text, quoted
from dlqconsole.processing.inputs.sentences import Sentence, sentence_of

type Choices = Sequence[tuple[str, str]]


class InvalidValues(InvalidInput):
    """Some values cannot be taken. ``problems``: a sentence for each, by the name of its field."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(" ".join(problems.values()))
        self.problems = problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One value. ``label`` and ``hint`` stand on the form, ``help`` and ``flags`` on the command line."""

    name: str = ""
    what: str = ""
    label: str = ""
    hint: str = ""
    placeholder: str = ""
    help: str = ""
    # its names on the command line; none: --name
    flags: tuple[str, ...] = ()
    metavar: str = "TEXT"
    is_required: bool = True
    # the value of an empty text, and the one that a form proposes at first
    nothing: Any = None
    proposal: Any = None
    # the word for no value on the command line, where one can be taken back
    empty_word: str = ""
    # the sentence where a value that is required is missing
    no_value: str = ""

    def __post_init__(self) -> None:
        if not self.what:
            object.__setattr__(self, "what", self.name.replace("_", " ").capitalize() or Sentence("It"))

    @property
    def takes(self) -> str:
        """The value on the command line, in the help of its flag."""
        return f"{self.metavar}|{self.empty_word}" if self.empty_word else self.metavar

    def read(self, text: str) -> Any:
        """The value of a text that is not empty. Raises InvalidInput."""
        return text

    def check(self, value: Any) -> Any:
        """A program's value as it is stored. Raises InvalidInput."""
        return value

    def take(self, value: Any) -> Any:
        """The value of a text, perhaps an empty one, or of a program. Raises InvalidInput."""
        text = value.strip() if isinstance(value, str) else value
        if text not in (None, "", self.empty_word):
            return self.read(text) if isinstance(text, str) else self.check(text)
        if self.is_required:
            raise InvalidInput(self.missing())
        return self.nothing

    def text(self, value: Any) -> str:
        """A value as a person types it."""
        return "" if value is None else str(value)

    def missing(self) -> str:
        """The sentence where nothing was given."""
        return self.no_value or Sentence("{what} is missing.", what=self.what)


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeNumber(Field):
    """A whole number from ``low`` to ``high``: 14212, 14,212 and 14 212 are the same."""

    low: int = 0
    high: int = LARGEST
    metavar: str = "N"

    def read(self, text: str) -> int:
        return read_count(text, self.what, self.low, self.high)

    def check(self, value: Any) -> int:
        check_number(value, self.what, self.low, self.high, whole=True)
        return int(value)

    def missing(self) -> str:
        return self.no_value or Sentence("{what} must be a whole number; nothing was given.", what=self.what)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Field):
    """A number from ``low`` to ``high``, perhaps with a fraction."""

    low: float
    high: float
    metavar: str = "N"

    def read(self, text: str) -> float:
        return read_measure(text, self.what, self.low, self.high)

    def check(self, value: Any) -> float:
        check_number(value, self.what, self.low, self.high, whole=False)
        return float(value)

    def text(self, value: Any) -> str:
        if isinstance(value, float) and value.is_integer() and value < 1e6:
            return f"{value:g}"
        return "" if value is None else str(value)

    def missing(self) -> str:
        return self.no_value or Sentence("{what} must be a number; nothing was given.", what=self.what)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Field):
    """One of a few values, in upper or lower case. ``empty``: the label of none, where none is possible."""

    choices: Choices
    empty: str | None = None

    @property
    def takes(self) -> str:
        return "|".join([*dict(self.choices), *filter(None, [self.empty_word])])

    @property
    def offered(self) -> Choices:
        """The choices of a list to choose from."""
        return self.choices if self.empty is None else [("", self.empty), *self.choices]

    def read(self, text: str) -> Any:
        values = {value.casefold(): value for value, _label in self.choices}
        if text.casefold() not in values:
            raise InvalidInput(
                Sentence(
                    "{what} is one of {names}; it is {text}.",
                    what=self.what,
                    names=", ".join(values.values()),
                    text=quoted(text),
                )
            )
        return values[text.casefold()]

    def check(self, value: Any) -> Any:
        return self.read(str(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNo(Choice):
    """Yes or no."""

    choices: Choices = (("yes", "yes"), ("no", "no"))

    def read(self, text: str) -> bool:
        return bool(Choice.read(self, text) == "yes")

    def check(self, value: Any) -> bool:
        return value if isinstance(value, bool) else self.read(str(value))

    def text(self, value: Any) -> str:
        return "" if value is None else "yes" if value else "no"


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch(Field):
    """On, or left out."""

    is_required: bool = False
    nothing: Any = False

    def read(self, text: str) -> bool:
        if text != "on":
            raise InvalidInput(Sentence("Say yes or no; it is {text}.", text=quoted(text)))
        return True

    def check(self, value: Any) -> bool:
        return value if isinstance(value, bool) else self.read(str(value))

    def text(self, value: Any) -> str:
        return "on" if value else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Field):
    """A text of at most ``limit`` characters that PostgreSQL can store.

    ``rule`` checks it further: it returns the text as it is stored, or raises InvalidInput. ``is_code``: in
    letters of one width; ``lines``: the height of its input.
    """

    limit: int
    rule: Callable[[str], str] = str
    nothing: Any = ""
    is_code: bool = False
    lines: int = 1

    def read(self, text: str) -> str:
        text = text.replace("\r\n", "\n")  # as browsers send line ends
        return self.check(text)

    def check(self, value: Any) -> str:
        text = str(value).strip()
        check_text(text, self.what, self.limit)
        return self.rule(text)


def read_all(fields: Iterable[Field], values: Mapping[str, Any]) -> dict[str, Any]:
    """Read those fields that are among the values, typed or a program's. Raises InvalidValues."""
    result: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for field in fields:
        try:
            if field.name in values:
                result[field.name] = field.take(values[field.name])
        except InvalidInput as problem:
            problems[field.name] = sentence_of(problem)
    if problems:
        raise InvalidValues(problems)
    return result
