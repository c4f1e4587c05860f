"""The rules for a kind of operation, checked at its registration, not at its first request."""

import re
from collections.abc import Iterator, Mapping

from django.core.exceptions import ImproperlyConfigured

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.operations.items import DEAD_LETTERS
from dlqconsole.operations.kinds.base import ALWAYS, NEVER, TABS, WHOLE_FILTERS, Kind
from dlqconsole.operations.kinds.option_rules import wrong_options
from dlqconsole.operations.kinds.reserved import VERBS
from dlqconsole.operations.models import KIND_NAME
from dlqconsole.processing.inputs.plain_text import quoted

# the parts that a page's statement needs
_PARTS = ("{held}", "outcomes", "{settle}")


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
    yield from _wrong_words(kind)
    yield from _wrong_states(kind)
    if not (kind.statement or kind.takes_back or type(kind).pages is not Kind.pages):
        yield "does no work: give it a statement, or pages of its own"
    yield from _wrong_statements(kind)
    others = [option for name, each in other_kinds.items() if name != kind.name for option in each.options]
    yield from wrong_options(kind.options, others)


def _wrong_name(kind: Kind, others: Mapping[str, Kind]) -> Iterator[str]:
    if not re.fullmatch(KIND_NAME, str(kind.name)):
        yield "has a name that the table refuses: 1 to 16 small letters or _"
    if kind.name in VERBS:
        yield "has the name of something that the command deadletters does by itself"
    if kind.name in others and _class(others[kind.name]) != _class(kind):
        yield f"has the name of another one, {'.'.join(_class(others[kind.name]))}"


def _wrong_words(kind: Kind) -> Iterator[str]:
    for name in ("label", "title", "icon", "past"):
        if not str(getattr(kind, name)).strip():
            yield f"has no {name}"


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
    if bad_tabs := {*kind.first_on, *kind.more_on} - set(TABS):
        yield f"stands on the tab {quoted(min(bad_tabs))}, and there is none"
    if kind.typed_count not in (NEVER, WHOLE_FILTERS, ALWAYS):
        yield f"has {quoted(kind.typed_count)} as its typed_count: it is never, whole filters or always"


def _class(kind: Kind) -> tuple[str, str]:
    """The module and name of its class: a module that is loaded again makes the same class anew."""
    return type(kind).__module__, type(kind).__qualname__
