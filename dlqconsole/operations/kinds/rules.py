"""The rules for a kind of operation, checked at its registration, not at its first request."""

import re
from collections.abc import Iterable, Iterator, Mapping

from django.core.exceptions import ImproperlyConfigured

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.dead_letters.all_parts import parameters
from dlqconsole.engine.dead_letters.part_rules import COMMAND
from dlqconsole.operations.items import DEAD_LETTERS
from dlqconsole.operations.kinds.base import ALWAYS, NEVER, WHOLE_FILTERS, Kind
from dlqconsole.operations.models import KIND_NAME
from dlqconsole.operations.options import Option
from dlqconsole.processing.inputs.plain_text import NAME, duplicates, flag, quoted

# the parts that a page's statement needs
_PARTS = ("{held}", "outcomes", "{settle}")

# the verbs of `manage.py deadletters` itself; "export" and "undo" are kinds
VERBS = frozenset({"list", "count", "show", "pause", "probe", "resume", "cancel", "approve", "refuse"})

# fields of the forms on which an operation is confirmed, here and in Django's admin
FORMS = frozenset(
    [
        "csrfmiddlewaretoken",
        "request_key",
        "kind",
        "scope",
        "filter",
        "ids",
        "operation",
        "outcome",
        "of_queue",
        "up_to",
        "reason",
        "expected",
        "expected_exact",
        "acts_on",
        "typed_count",
        "action",
        "select_across",
        "index",
    ]
)

# fields of a standing rule's form, beside which the options of its operations stand
STANDING_RULE = frozenset(
    [
        "version",
        "name",
        "filter",
        "trigger",
        "per_hour",
        "per_day",
        "operations_per_day",
        "tells_owner",
        "reason",
        "do",
        "kind",
        # of the triggers
        "minutes",
        "at",
        "key",
        "above",
        "pause",
    ]
)
FIELDS = FORMS | STANDING_RULE
OPTIONS = FIELDS | COMMAND


def check_kind(kind: Kind, others: Mapping[str, Kind]) -> None:
    """Raise ImproperlyConfigured, one sentence, if the kind cannot work beside the others."""
    if not isinstance(kind, Kind):
        raise ImproperlyConfigured(
            f"A kind of operation is an object of a subclass of Kind, not {quoted(kind)}."
        )
    for problem in _problems(kind, others):
        raise ImproperlyConfigured(f"The kind of operation {quoted(kind.name)} {problem}.")


def _problems(kind: Kind, other_kinds: Mapping[str, Kind]) -> Iterator[str]:
    yield from _wrong_name(kind, other_kinds)
    yield from _wrong_states(kind)
    if not (kind.statement or kind.takes_back or type(kind).pages is not Kind.pages):
        yield "does no work: give it a statement, or pages of its own"
    yield from _wrong_statements(kind)
    others = [option for name, each in other_kinds.items() if name != kind.name for option in each.options]
    yield from _wrong_options(kind.options, others)


def _wrong_name(kind: Kind, others: Mapping[str, Kind]) -> Iterator[str]:
    if not re.fullmatch(KIND_NAME, str(kind.name)):
        yield "has a name that the table refuses: 1 to 16 small letters or _"
    if kind.name in VERBS:
        yield "has the name of something that the command deadletters does by itself"
    if kind.name in others and _class(others[kind.name]) != _class(kind):
        yield f"has the name of another one, {'.'.join(_class(others[kind.name]))}"


def _wrong_statements(kind: Kind) -> Iterator[str]:
    """Yield the faults of the statements that ``SetPages`` runs; a kind's own pages have their own."""
    for name, pages in (("statement", "pages"), ("undo_statement", "undo_pages")):
        text = getattr(kind, name)
        if text and getattr(type(kind), pages) is getattr(Kind, pages):
            missing = [part for part in _PARTS if part not in text]
            yield from (
                f"has as its {name} one without {part}: pages.sql says what a page has" for part in missing
            )


def _wrong_states(kind: Kind) -> Iterator[str]:
    if not kind.takes:
        yield f"takes no {kind.items.noun} in any state"
    for name, states, noun in (
        ("takes", kind.items.statuses, kind.items.noun),
        ("on_letter", DeadLetterStatus, "dead letter"),
    ):
        if bad := set(getattr(kind, name)) - set(states):
            yield f"has {quoted(min(map(str, bad)))} in its {name}: no state of a {noun}"
    if bad := set(kind.unattended) - set(kind.takes):
        yield f"has {quoted(min(map(str, bad)))} in its unattended, and does not take it"
    if kind.unattended and (kind.typed_count == ALWAYS or kind.items is not DEAD_LETTERS):
        yield "may not be asked for unattended: nobody types a count then, and its items are dead letters"
    if kind.typed_count not in (NEVER, WHOLE_FILTERS, ALWAYS):
        yield f"has {quoted(kind.typed_count)} as its typed_count: it is never, whole filters or always"


def _class(kind: Kind) -> tuple[str, str]:
    """The module and name of its class: a module that is loaded again makes the same class anew."""
    return type(kind).__module__, type(kind).__qualname__


def _wrong_options(options: Iterable[Option], others: Iterable[Option]) -> Iterator[str]:
    """Yield the faults of one kind's options, as ends of sentences; ``others``: those of other kinds."""
    options, others = list(options), list(others)
    for option in options:
        yield from _wrong_names(option)
    names = duplicates(name for option in options for name in _names(option))
    yield from (f"has two options called {quoted(name)}" for name in names)
    for option in options:
        yield from _at_odds(option, others)


def _wrong_names(option: Option) -> Iterator[str]:
    names = set(_names(option))
    for name in names:
        if not NAME.fullmatch(str(name)):
            yield f"has an option called {quoted(name)}: small letters, digits and _, at most 40"
    if clashes := names & OPTIONS:
        yield f"has an option called {quoted(min(clashes))}, a name that forms or the command use themselves"
    if clashes := names & {*parameters()}:
        yield f"has an option called {quoted(min(clashes))}, as is a part of the filter"


def _at_odds(option: Option, others: Iterable[Option]) -> Iterator[str]:
    """Yield clashes with other kinds: the command line has an option once; a shared name needs one sort."""
    for other in others:
        if other.name == option.name:
            if _sort(other) != _sort(option):
                yield f"has an option called {quoted(option.name)}, and another kind has one of another sort"
        elif clashes := {*_names(option)} & {*_names(other)}:
            yield f"has an option called {flag(min(clashes))} on the command line, and another kind has one"


def _sort(option: Option) -> tuple[object, ...]:
    """The sort of an option: the command line takes it from the first kind that has it."""
    choices = getattr(option.field, "choices", ())
    return type(option.field), option.is_file, [*choices], _names(option)


def _names(option: Option) -> list[str]:
    return [field.name for field in option.inputs]
