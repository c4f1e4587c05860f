"""What one setting is: a row of the table."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Reader(StrEnum):
    """Which processes read a setting."""

    DJANGO = "web, workers, beat, consumers and manage.py"
    PIPELINE = "the Spark pipeline"
    DEMO = "make demo"


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A name in the environment.

    ``shown_default``: the default in words, where its value tells nothing. ``secret``: its value is never
    printed. ``example``: there is no default and a process cannot start without; what it may look like.
    """

    name: str
    meaning: str
    readers: frozenset[Reader] = frozenset({Reader.DJANGO})
    shown_default: str = ""
    secret: bool = False
    example: str = ""


@dataclass(frozen=True, kw_only=True)
class Number(Setting):
    """A whole number from ``low`` to ``high``, both included."""

    default: int
    low: int
    high: int
    unit: str = ""

    @property
    def default_text(self) -> str:
        """Its digits, without separators."""
        return str(self.default)

    @property
    def allowed(self) -> str:
        """The bounds, with the unit."""
        unit = f" {self.unit}" if self.unit else ""
        return f"a whole number between {self.low:,} and {self.high:,}{unit}"


@dataclass(frozen=True, kw_only=True)
class Switch(Setting):
    """True or false, in the spellings of environs."""

    default: bool

    @property
    def default_text(self) -> str:
        """As one writes it in a shell."""
        return str(self.default).lower()

    @property
    def allowed(self) -> str:
        """The plain spellings; environs takes capitals and t, f, y, n as well."""
        return "true or false, yes or no, on or off, 1 or 0"


@dataclass(frozen=True, kw_only=True)
class Text(Setting):
    """A text. ``choices``: those there are, else any. ``check`` raises ValueError with a whole sentence."""

    default: str = ""
    choices: tuple[str, ...] = ()
    check: Callable[[str], object] | None = None

    @property
    def default_text(self) -> str:
        """The text itself."""
        return self.default

    @property
    def allowed(self) -> str:
        """The choices; empty: any text."""
        return f"one of {', '.join(self.choices)}" if self.choices else ""


@dataclass(frozen=True, kw_only=True)
class Words(Setting):
    """Texts with commas between them; empty ones are left out.

    ``check`` raises ValueError with a sentence about one of them, and then there has to be one;
    ``checks_first_only``: the others may be anything.
    """

    default: tuple[str, ...] = ()
    check: Callable[[str], object] | None = None
    checks_first_only: bool = False

    @property
    def default_text(self) -> str:
        """Joined by commas."""
        return ",".join(self.default)

    @property
    def allowed(self) -> str:
        """Nothing is forbidden."""
        return ""


type Row = Number | Switch | Text | Words
