"""The rules for options of operations, checked when their kind is registered."""

from collections.abc import Iterable, Iterator

from dlqconsole.engine.dead_letters.filters import parameters
from dlqconsole.operations.kinds.reserved import OPTIONS
from dlqconsole.operations.options import Option
from dlqconsole.processing.inputs.fields import Choice, Field, WholeNumber
from dlqconsole.processing.inputs.names import NAME, duplicates, flag
from dlqconsole.processing.inputs.plain_text import quoted


def wrong_options(options: Iterable[Option], others: Iterable[Option]) -> Iterator[str]:
    """Yield the faults of one kind's options, as ends of sentences; ``others``: those of other kinds."""
    options, others = list(options), list(others)
    for option in options:
        yield from _wrong(option)
    names = duplicates(name for option in options for name in _names(option))
    yield from (f"has two options called {quoted(name)}" for name in names)
    for option in options:
        yield from _at_odds(option, others)


def _wrong(option: Option) -> Iterator[str]:
    if not isinstance(option, Option):
        yield f"has among its options {quoted(option)}, which is no Option"
        return
    yield from (f"has an option {quoted(option.name)} {problem}" for problem in _wrong_field(option.field))
    for part in option.parts:
        which = f"has an option {quoted(option.name)} with a part {quoted(part.name)}"
        yield from (f"{which} {problem}" for problem in _wrong_field(part))
    yield from _wrong_names(option)


def _wrong_names(option: Option) -> Iterator[str]:
    names = set(_names(option))
    for name in names:
        if not NAME.fullmatch(str(name)):
            yield f"has an option called {quoted(name)}: small letters, digits and _, at most 40"
    if clashes := names & OPTIONS:
        yield f"has an option called {quoted(min(clashes))}, a name that forms or the command use themselves"
    if clashes := names & {*parameters()}:
        yield f"has an option called {quoted(min(clashes))}, as is a part of the filter"


def _wrong_field(field: Field) -> Iterator[str]:
    if not str(field.label).strip():
        yield "without a label"
    if isinstance(field, WholeNumber):
        yield from _wrong_number(field)
    if isinstance(field, Choice):
        yield from _wrong_choice(field)


def _wrong_number(number: WholeNumber) -> Iterator[str]:
    if any(type(bound) is not int for bound in (number.low, number.high)):
        yield "whose bounds are no whole numbers"
    elif number.low > number.high:
        yield f"whose low, {number.low:,}, is above its high, {number.high:,}"
    elif number.nothing is None:
        return
    elif type(number.nothing) is not int:
        yield f"whose default, {quoted(number.nothing)}, is no whole number"
    elif not number.low <= number.nothing <= number.high:
        yield f"whose default, {number.nothing:,}, lies outside {number.low:,} to {number.high:,}"


def _wrong_choice(choice: Choice) -> Iterator[str]:
    if not choice.choices:
        yield "without choices"
    elif any([type(part) for part in pair] != [str, str] for pair in choice.choices):
        yield "whose choices are not pairs of a value and its label"
    elif len({value.casefold() for value, _label in choice.choices}) < len(choice.choices):
        yield "with the same choice twice"


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
