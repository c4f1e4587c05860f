"""The rules for options of operations, checked when their kind is registered."""

import re
from collections.abc import Callable, Iterable, Iterator

from dlqconsole.engine.dead_letters.filters import parameters
from dlqconsole.operations.kinds.reserved import FIELDS, OPTIONS
from dlqconsole.operations.options import (
    ChoiceOption,
    GroupOption,
    NumberOption,
    Option,
    SwitchOption,
    TextOption,
)
from dlqconsole.processing.inputs.names import NAME, duplicates, flag
from dlqconsole.processing.inputs.plain_text import quoted

_FLAG = re.compile("--[a-z][a-z0-9-]*")


def wrong_options(options: Iterable[Option], others: Iterable[Option]) -> Iterator[str]:
    """Yield the faults of one kind's options, as ends of sentences; ``others``: those of other kinds."""
    options, others = list(options), list(others)
    for option in options:
        yield from _wrong(option)
    names = duplicates(name for option in options for name in _names(option))
    flags = duplicates(each for option in options for each in _flags(option))
    yield from (f"has two options called {quoted(name)}" for name in names)
    yield from (f"has two options called {each} on the command line" for each in flags)
    for option in options:
        yield from _at_odds(option, others)


def _wrong(option: Option) -> Iterator[str]:
    if not isinstance(option, Option):
        yield f"has among its options {quoted(option)}, which is no Option"
        return
    yield from (f"has an option {quoted(option.name)} {problem}" for problem in _wrong_values(option))
    yield from _wrong_names(option)


def _wrong_values(option: Option) -> Iterator[str]:
    if not str(option.label).strip():
        yield "without a label"
    for sort, problems in _BY_SORT.items():
        if isinstance(option, sort):
            yield from problems(option)


def _wrong_names(option: Option) -> Iterator[str]:
    for name in _names(option):
        if not NAME.fullmatch(str(name)):
            yield f"has an option called {quoted(name)}: small letters, digits and _, at most 40"
    own_names = {option.name, *_fields(option), *map(_as_name, option.former_flags)}
    if clashes := own_names & OPTIONS:
        yield f"has an option called {quoted(min(clashes))}, a name that forms or the command use themselves"
    if clashes := (_names(option) - own_names) & FIELDS:
        yield f"has an option formerly called {quoted(min(clashes))}, a name that forms use themselves"
    if clashes := own_names & {*parameters()}:
        yield f"has an option called {quoted(min(clashes))}, as is a part of the filter"
    if bad_flags := [flag for flag in option.former_flags if not _FLAG.fullmatch(flag)]:
        yield f"has a former flag {quoted(bad_flags[0])}: write it like --so-many"


def _wrong_number(option: NumberOption) -> Iterator[str]:
    if any(type(bound) is not int for bound in (option.low, option.high)):
        yield "whose bounds are no whole numbers"
    elif option.low > option.high:
        yield f"whose low, {option.low:,}, is above its high, {option.high:,}"
    elif option.default is None:
        return
    elif type(option.default) is not int:
        yield f"whose default, {quoted(option.default)}, is no whole number"
    elif not option.low <= option.default <= option.high:
        yield f"whose default, {option.default:,}, lies outside {option.low:,} to {option.high:,}"


def _wrong_choice(option: ChoiceOption) -> Iterator[str]:
    if not option.choices:
        yield "without choices"
    elif any([type(part) for part in choice] != [str, str] for choice in option.choices):
        yield "whose choices are not pairs of a value and its label"
    elif len({value.casefold() for value, _label in option.choices}) < len(option.choices):
        yield "with the same choice twice"


def _wrong_text(option: TextOption) -> Iterator[str]:
    if not callable(option.check):
        yield "whose check cannot be called"


def _wrong_group(option: GroupOption) -> Iterator[str]:
    if not option.options:
        yield "without parts"
    for part in option.options:
        if not isinstance(part, Option) or isinstance(part, GroupOption):
            yield f"with the part {quoted(part)}, which is no plain option"
        else:
            yield from (f"with a part {quoted(part.name)} {problem}" for problem in _wrong_values(part))


_BY_SORT: dict[type[Option], Callable[..., Iterator[str]]] = {
    NumberOption: _wrong_number,
    ChoiceOption: _wrong_choice,
    TextOption: _wrong_text,
    GroupOption: _wrong_group,
}


def _at_odds(option: Option, others: Iterable[Option]) -> Iterator[str]:
    """Yield clashes with other kinds: the command line has an option once; a shared name needs one sort."""
    for other in others:
        if other.name == option.name:
            if _sort(other) != _sort(option):
                yield f"has an option called {quoted(option.name)}, and another kind has one of another sort"
        elif clashes := _flags(option) & _flags(other):
            yield f"has an option called {min(clashes)} on the command line, and another kind has one"


def _sort(option: Option) -> tuple[object, ...]:
    """The sort of an option: the command line takes it from the first kind that has it."""
    look = (getattr(option, name, None) for name in ("is_file", "choices"))
    return type(option), option.former_flags, _fields(option), *look


def _fields(option: Option) -> tuple[str, ...]:
    return option.fields if isinstance(option, GroupOption) else ()


def _names(option: Option) -> set[str]:
    """The names of an option on forms, the former ones too."""
    parts = option.options if isinstance(option, GroupOption) else ()
    of_parts = {name for part in parts for name in option.field_names(part)}  # type: ignore[attr-defined]
    opposite = {option.opposite} - {""} if isinstance(option, SwitchOption) else set()
    return {*option.names, *of_parts, *opposite}


def _flags(option: Option) -> set[str]:
    parts = option.options if isinstance(option, GroupOption) else ()
    former = {flag for each in (option, *parts) for flag in each.former_flags}
    return former | {flag(name) for name in (option.name, *_fields(option))}


def _as_name(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")
