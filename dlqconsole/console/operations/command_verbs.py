"""What each verb of `manage.py deadletters` takes: its options, and the ways to say which are meant.

One rule for all verbs: what is given beyond that is refused, and so are two ways at once. Nothing that was
typed is left out in silence.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dlqconsole.engine.dead_letters.filters import parameters
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.options import GroupOption, Option
from dlqconsole.processing.inputs.names import flag

type Given = Mapping[str, Any]

READS = ("list", "count", "show", "export")
CONTROLS = ("undo", "pause", "resume", "cancel", "approve", "refuse")
# ways to say which dead letters, or which operation
IDS, FILTER, ALL, OPERATION = "ids", "filter", "all", "operation"
_EVERY_WAY = (IDS, FILTER, ALL, OPERATION)
# an option that says nothing without another
_NEEDS = {"outcome": "operation"}
_NO_RECIPE = (
    "Say what to change: --recipe FILE, a JSON Patch for all of them; or --payload-file FILE, the new payload"
    " of one."
)


@dataclass(frozen=True, slots=True)
class Verb:
    """``words``: as it is typed. ``ways``: one of them is given. ``needs``: options that need another."""

    words: str
    ways: tuple[str, ...]
    takes: frozenset[str]
    needs: Mapping[str, str] = field(default_factory=lambda: _NEEDS)

    @property
    def names(self) -> frozenset[str]:
        """All options that may be given."""
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
_OF_CONTROLS = {"undo": {"because"}, "approve": {"typed_count"}}


def check(given: Given) -> None:
    """Raise ValueError, a sentence, for what the verb does not take and for what excludes each other."""
    verb = verb_of(given)
    named = [name for name in _every_name() if is_given(given, name)]
    for name in named:
        if name not in verb.names:
            raise ValueError(
                f"deadletters {verb.words} has no option {_typed(name)}{_other_form(verb, name)}."
            )
        needed = verb.needs.get(name, name)
        if needed not in named:
            raise ValueError(f"{_typed(name)} without {_typed(needed)}: add it.")
    if verb.words == "edit" and "recipe" not in named:
        raise ValueError(_NO_RECIPE)
    _check_one_way(verb, named)


def _check_one_way(verb: Verb, named: list[str]) -> None:
    found = {way: name for way, names in _ways().items() for name in named if name in names}
    if len(found) > 1:
        one, other = list(found.values())[:2]
        raise ValueError(
            f"deadletters {verb.words} takes {_typed(one)} or {_typed(other)}, not both:"
            " each says which are meant."
        )


def verb_of(given: Given) -> Verb:
    """The verb that is asked for, in the form that its options choose."""
    name = given["verb"]
    if name in CONTROLS:
        further = _OF_CONTROLS.get(name, set())
        return Verb(name, (IDS, OPERATION), frozenset({"json", "wait"} | further))
    if given["payload_file"] and name == "edit":
        return _EDIT_ONE
    if name in READS and not (given["as_operation"] and name in kinds.names()):
        return _READ_VERBS[name]
    return _of_kind(kinds.get(name))


def is_given(given: Given, name: str) -> bool:
    """Whether the option was typed; 0 is a value."""
    value = given.get(name)
    return value is not None and value is not False and value != []


def fields_of(option: Option) -> list[str]:
    """What the option is called; of a group each part, behind its switch."""
    return [option.name, *(option.fields if isinstance(option, GroupOption) else ())]


def operation_verbs() -> list[str]:
    """The kinds of operations; what is a read as well is one with --as-operation."""
    return [kind.name for kind in kinds.asked_for() if kind.name not in READS]


def _of_kind(kind: Kind) -> Verb:
    is_read = kind.name in READS
    common = {"because", "json", "wait", "typed_count", "outcome"} | ({"as_operation"} if is_read else set())
    own = {name for option in kind.options for name in fields_of(option)}
    return Verb(f"{kind.name} --as-operation" if is_read else kind.name, _EVERY_WAY, frozenset(common | own))


def _other_form(verb: Verb, name: str) -> str:
    """Where the option belongs to what is both a read and an operation: how the operation is typed."""
    other = _of_kind(kinds.get(verb.words)) if verb.words in READS and verb.words in kinds.names() else None
    return f"; deadletters {other.words} has it" if other and name in other.names else ""


def _ways() -> dict[str, tuple[str, ...]]:
    """The ways, each with its options."""
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


def _typed(name: str) -> str:
    return {"id": "an ID", "ids": "--id"}.get(name) or flag(name)
