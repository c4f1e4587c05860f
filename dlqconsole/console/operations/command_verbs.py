"""The arguments of each verb of `manage.py deadletters`: its options, and its ways to select dead letters.

One rule for all verbs: any other option is refused, and so are two ways at once. No argument is ignored
silently.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dlqconsole.engine.dead_letters.all_parts import parameters
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.options import Option
from dlqconsole.processing.inputs.plain_text import flag

type Arguments = Mapping[str, Any]

READS = ("list", "count", "show", "export")
CONTROLS = ("undo", "pause", "resume", "probe", "cancel", "approve", "refuse")
# ways to select dead letters, or an operation
IDS, FILTER, ALL, OPERATION = "ids", "filter", "all", "operation"
_EVERY_WAY = (IDS, FILTER, ALL, OPERATION)
# an option that needs another
_NEEDS = {"outcome": "operation"}
_NO_RECIPE = (
    "Say what to change: --recipe FILE, a JSON Patch for all of them; or --payload-file FILE, the new payload"
    " of one."
)


@dataclass(frozen=True, slots=True)
class Verb:
    """``words``: as typed. ``ways``: the ways to select. ``needs``: options that need another."""

    words: str
    ways: tuple[str, ...]
    takes: frozenset[str]
    needs: Mapping[str, str] = field(default_factory=lambda: _NEEDS)

    @property
    def names(self) -> frozenset[str]:
        """All options that it accepts."""
        return self.takes.union(*(names for way, names in _ways().items() if way in self.ways))


_READ_VERBS = {
    "list": Verb("list", _EVERY_WAY, frozenset({"json", "limit", "outcome"})),
    "count": Verb("count", _EVERY_WAY, frozenset({"json", "outcome"})),
    "show": Verb(
        "show", (IDS, OPERATION), frozenset({"json", "unmasked", "because"}), {"because": "unmasked"}
    ),
    "export": Verb("export", (IDS, FILTER, ALL), frozenset({"format", "output"})),
}
_EDIT_ONE = Verb("edit --payload-file", (IDS,), frozenset({"payload_file", "because"}))
# a further option of one control
_OF_CONTROLS = {"undo": {"because"}, "resume": {"because"}, "approve": {"typed_count"}}


def check(arguments: Arguments) -> None:
    """Raise ValueError, a sentence, for options that the verb does not have or that exclude each other."""
    verb = verb_of(arguments)
    names = [name for name in _every_name() if is_given(arguments, name)]
    for name in names:
        if name not in verb.names:
            raise ValueError(
                f"deadletters {verb.words} has no option {_as_typed(name)}{_other_form(verb, name)}."
            )
        partner = verb.needs.get(name, name)
        if partner not in names:
            raise ValueError(f"{_as_typed(name)} without {_as_typed(partner)}: add it.")
    if verb.words == "edit" and "recipe" not in names:
        raise ValueError(_NO_RECIPE)
    _check_one_way(verb, names)


def _check_one_way(verb: Verb, names: list[str]) -> None:
    ways = {way: name for way, option_names in _ways().items() for name in names if name in option_names}
    if len(ways) > 1:
        one, other = list(ways.values())[:2]
        raise ValueError(
            f"deadletters {verb.words} takes {_as_typed(one)} or {_as_typed(other)}, not both:"
            " each says which are meant."
        )


def verb_of(arguments: Arguments) -> Verb:
    """The verb, in the form that its options choose."""
    name = arguments["verb"]
    if name in CONTROLS:
        further = _OF_CONTROLS.get(name, set())
        return Verb(name, (IDS, OPERATION), frozenset({"json", "wait"} | further))
    if arguments["payload_file"] and name == "edit":
        return _EDIT_ONE
    if name in READS and not (arguments["as_operation"] and name in kinds.names()):
        return _READ_VERBS[name]
    return _of_kind(kinds.get(name))


def is_given(arguments: Arguments, name: str) -> bool:
    """Tell whether the option was typed; 0 is a value."""
    value = arguments.get(name)
    return value is not None and value is not False and value != []


def fields_of(option: Option) -> list[str]:
    """The names of the option's flags: of one with parts also theirs, behind its switch."""
    return [field.name for field in option.inputs]


def operation_verbs() -> list[str]:
    """The kinds of operations; one that is a read as well needs --as-operation."""
    return [kind.name for kind in kinds.asked_for() if kind.name not in READS]


def _of_kind(kind: Kind) -> Verb:
    is_read = kind.name in READS
    common = {"because", "json", "wait", "typed_count", "outcome"} | ({"as_operation"} if is_read else set())
    own = {name for option in kind.options for name in fields_of(option)}
    return Verb(f"{kind.name} --as-operation" if is_read else kind.name, _EVERY_WAY, frozenset(common | own))


def _other_form(verb: Verb, name: str) -> str:
    """The operation's form of a verb that is both a read and an operation, if that has the option."""
    other = _of_kind(kinds.get(verb.words)) if verb.words in READS and verb.words in kinds.names() else None
    return f"; deadletters {other.words} has it" if other and name in other.names else ""


def _ways() -> dict[str, tuple[str, ...]]:
    """The ways to select, each with its options."""
    return {
        IDS: ("id", "ids"),
        FILTER: (*parameters(), "payload"),
        ALL: ("all",),
        OPERATION: ("operation",),
    }


def _every_name() -> list[str]:
    """Every option that any verb takes."""
    verbs = [*_READ_VERBS.values(), _EDIT_ONE, *map(_of_kind, kinds.asked_for())]
    ways = [name for names in _ways().values() for name in names]
    return [*ways, *sorted({name for verb in verbs for name in verb.takes})]


def _as_typed(name: str) -> str:
    return {"id": "an ID", "ids": "--id"}.get(name) or flag(name)
