"""An option of an operation: a declared field, and what an operation needs to know beside it.

``undo_seconds`` is the field of the form, ``--undo-seconds`` on the command line, the key of what an
operation stores, and the word in the documents.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.operations.errors import OptionRefused
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Field, Switch, WholeNumber, read_all

type Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of a kind of operation.

    ``parts`` belong together, and its field switches them on: ``probes`` of ``canary`` is ``canary_probes``.
    """

    field: Field
    parts: tuple[Field, ...] = ()
    # hidden behind "Options" on the form; an option that is needed every time is not
    is_folded: bool = True
    # another value selects other items: the page counts again at once
    recounts: bool = False
    # may a standing rule choose it; if not, only a person does, each time
    by_rule: bool = True
    # the command line takes the name of a file that holds it
    is_file: bool = False
    # Checks in the database that the caller sees the thing that a value names. If not, it raises the same
    # OperationRefused as for a thing that does not exist: any other answer would tell that it exists.
    check_seen: Callable[[Any], None] = lambda value: None
    # the value as a sentence for people; empty where there is nothing to say
    words: Callable[[Any], str] = lambda value: ""

    @property
    def name(self) -> str:
        return self.field.name

    @property
    def inputs(self) -> tuple[Field, ...]:
        """Its fields on a form and on the command line: the switch, and the parts."""
        parts = (replace(part, name=f"{self.name}_{part.name}") for part in self.parts)
        return (self.field, *parts)

    def raw_value(self, values: Values) -> Any:
        """The raw value among those of a form, a command line or a stored operation; None: there is none."""
        value = values.get(self.name)
        if not self.parts or value not in ("on", True):
            return value
        return {part.name: values.get(f"{self.name}_{part.name}") for part in self.parts}

    def read(self, value: Any) -> Any:
        """Check and return the value; the default for None. Raises OperationRefused with a sentence."""
        try:
            return self._read_parts(value) if self.parts else self.field.take(value)
        except InvalidInput as problem:
            raise OptionRefused(translated(problem)) from problem

    def read_for(self, value: Any) -> Any:
        """Read the value and check that it names nothing outside the scope. Raises OperationRefused."""
        checked_value = self.read(value)
        self.check_seen(checked_value)
        return checked_value

    def proposal(self) -> Any:
        """The value that a form proposes at first; None for parts that are off."""
        return None if self.parts else proposal(self.field)

    def as_fields(self, value: Any) -> dict[str, Any]:
        """The value as the fields of a form."""
        if not self.parts:
            return {self.name: self.field.text(value)}
        fields = {f"{self.name}_{name}": each for name, each in (value or {}).items()}
        return {self.name: "on"} | fields if value else {}

    def _read_parts(self, value: Any) -> dict[str, Any] | None:
        names = [part.name for part in self.parts]
        if not isinstance(value, Mapping):
            value = dict.fromkeys(names) if self.field.take(value) else {}
        if value.keys() - set(names):
            raise InvalidInput(_("A {name} has {names}.").format(name=self.name, names=", ".join(names)))
        return read_all(self.parts, dict.fromkeys(names) | value) if value else None


def proposal(field: Field) -> Any:
    """The value that a form proposes at first: the usual one, else the default."""
    return field.nothing if field.proposal is None else field.proposal


RATE = Option(
    field=WholeNumber(
        name="rate",
        what=gettext_lazy("The rate"),
        label=gettext_lazy("Rate, at most so many a second"),
        help="at most so many items a second",
        placeholder=gettext_lazy("as fast as it goes"),
        is_required=False,
        low=1,
        high=100_000,
    ),
    words=lambda rate: _("{rate:,} a second at most").format(rate=rate) if rate else "",
)


def _canary_words(canary: Mapping[str, int] | None) -> str:
    if not canary:
        return ""
    return _(
        "{probes} first, each stage watched for at most {watch_seconds} s, halting when more than"
        " {threshold} % fail again"
    ).format(probes=canary["probes"], watch_seconds=canary["watch_seconds"], threshold=canary["threshold"])


THRESHOLD = WholeNumber(
    name="threshold",
    what=gettext_lazy("The share that may fail again, in percent,"),
    label=gettext_lazy("Halt above, in percent"),
    help="with a canary: halt when more than P percent fail again (10)",
    metavar="P",
    is_required=False,
    nothing=10,
    low=0,
    high=100,
)


CANARY = Option(
    field=Switch(
        name="canary",
        label=gettext_lazy("Canary: a few first, then 1 %, 10 % and the rest"),
        help="a few first, then 1 %, 10 %, the rest",
    ),
    parts=(
        WholeNumber(
            name="probes",
            what=gettext_lazy("The number of probes"),
            label=gettext_lazy("Probes"),
            help="with a canary: so many first (5)",
            is_required=False,
            nothing=5,
            low=1,
            high=100,
        ),
        THRESHOLD,
        WholeNumber(
            name="watch_seconds",
            what=gettext_lazy("The time to watch, in seconds,"),
            label=gettext_lazy("Watch at most, in seconds"),
            help="with a canary: watch each stage at most so many seconds (60)",
            metavar="S",
            is_required=False,
            nothing=60,
            low=1,
            high=3_600,
        ),
    ),
    words=_canary_words,
)


COME_BACKS_TOO = Option(
    field=Switch(
        name="come_backs_too",
        label=gettext_lazy("Include items that failed repeatedly after earlier revivals"),
        help="include items that failed repeatedly after earlier revivals",
    ),
    recounts=True,
    by_rule=False,
    words=lambda is_on: _("includes items that failed repeatedly after earlier revivals") if is_on else "",
)


FULL_SPEED = Option(
    field=Switch(
        name="full_speed",
        label=gettext_lazy("Ignore automatic slowing"),
        help="ignore automatic slowing: do not slow down while many fail again",
    ),
    by_rule=False,
    words=lambda is_on: _("ignores automatic slowing") if is_on else "",
)
