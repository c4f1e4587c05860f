"""What `manage.py deadletters` understands: one verb, the list's filter, and the options of an operation."""

import sys
from argparse import SUPPRESS, Action, ArgumentParser, Namespace, _ArgumentGroup
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dlqconsole.engine.dead_letters.filters import PAYLOAD_PREFIX, parameters
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import ItemStatus
from dlqconsole.operations.options import Group, Option, Switch, Text
from dlqconsole.processing.inputs.arguments import count, item_id, reason
from dlqconsole.processing.inputs.plain_text import quoted

READS = ("list", "count", "show", "export")
CONTROLS = ("undo", "pause", "resume", "cancel", "approve", "refuse")
# options of a read that a kind of operation has, too
_SHARED = ("format", "unmasked")

type Given = Mapping[str, Any]


def operation_verbs() -> list[str]:
    """The kinds of operations; what is a read as well is one with --as-operation."""
    return [kind.name for kind in kinds.asked_for() if kind.name not in READS]


def add_options(parser: ArgumentParser) -> None:
    """Declare the verb and the options."""
    verbs = (*READS, *operation_verbs(), *CONTROLS)
    parser.add_argument("verb", choices=verbs, metavar="VERB", help=", ".join(verbs))
    parser.add_argument(
        "id", nargs="*", type=item_id, metavar="ID", help="numbers of dead letters, or of operations"
    )
    for name in parameters():
        parser.add_argument(f"--{name}", default="", help=f"the list's filter “{name}”")
    parser.add_argument(
        "--payload",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="a value in the payload, by its path",
    )
    parser.add_argument(
        "--id", dest="ids", action="append", type=item_id, default=[], help="this one; may repeat"
    )
    parser.add_argument("--all", action="store_true", help="every dead letter, without a filter")
    parser.add_argument("--because", type=reason, default="", help="why; needed for what changes something")
    parser.add_argument(
        "--unmasked", action="store_true", default=None, help="show personal data; needs --because"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--limit", type=count, default=50, help="rows of a list (50)")
    parser.add_argument("--wait", action="store_true", help="stay until the operation has ended")
    parser.add_argument("--format", choices=("csv", "jsonl"), help="of an export (csv)")
    parser.add_argument("--output", default="-", help="the export's file; - is the standard output")
    _add_operation_options(parser)


def _add_operation_options(parser: ArgumentParser) -> None:
    parser.set_defaults(former_names=[])
    group = parser.add_argument_group("operations", "how a bulk action goes about it")
    for option in every_option():
        if option.name not in _SHARED:
            _add_option(group, option, option.name)
    group.add_argument(
        "--payload-file", metavar="FILE", help="edit one: its new payload; - is the standard input"
    )
    group.add_argument(
        "--as-operation", action="store_true", help="export in the background; the file waits on the receipt"
    )
    group.add_argument(
        "--typed-count", type=count, metavar="N", help="the count, where nobody else can approve"
    )
    group.add_argument(
        "--operation", type=item_id, metavar="ID", help="this operation, or its items of --outcome"
    )
    group.add_argument(
        "--outcome", choices=ItemStatus.values, default="failed", help="which items of --operation (failed)"
    )


def every_option() -> list[Option]:
    """The options of all kinds that may be asked for, each once."""
    found = {option.name: option for kind in kinds.asked_for() for option in kind.options}
    return list(found.values())


def _add_option(group: _ArgumentGroup, option: Option, name: str) -> None:
    told: dict[str, Any] = {"dest": name, "help": option.help.replace("%", "%%")}
    if isinstance(option, Switch):
        group.add_argument(_flag(name), action="store_true", default=None, **told)
    elif isinstance(option, Group):
        group.add_argument(_flag(name), action=_SwitchOn, nargs="?", const="on", metavar="N", **told)
        for part, field in zip(option.options, option.fields, strict=True):
            _add_option(group, part, field)
    else:
        group.add_argument(_flag(name), metavar=option.metavar, **told)
    for flag in option.former_flags:
        group.add_argument(flag, dest=name, action=_FormerName, help=SUPPRESS)


class _FormerName(Action):
    """What an option was called once: it does the same, and says so."""

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option_string: Any = None) -> None:
        setattr(namespace, self.dest, values)
        _note(namespace, f"{self.option_strings[0]} is called {_flag(self.dest)} now; it still works.")


class _SwitchOn(Action):
    """A group of options; with a number it was the first of them once."""

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option_string: Any = None) -> None:
        setattr(namespace, self.dest, values)
        if values and values != self.const:
            flag = self.option_strings[0]
            _note(namespace, f"{flag} N is called {flag} {flag}-probes N now; it still works.")


def _note(namespace: Namespace, sentence: str) -> None:
    namespace.former_names = [*namespace.former_names, sentence]


def options_of(kind: Kind, given: Given) -> dict[str, Any]:
    """What was given of the kind's options. Raises ValueError for what it does not have."""
    for option in every_option():
        is_foreign = option.name not in {*kind.option_names, *_SHARED}
        if is_foreign and (flags := _flags_given(option, given)):
            raise ValueError(f"{kind.title} has no option {flags[0]}.")
    return {option.name: _value(option, given) for option in kind.options if _is_given(option, given)}


def _flags_given(option: Option, given: Given) -> list[str]:
    return [_flag(name) for name in _fields_of(option) if given.get(name)]


def _is_given(option: Option, given: Given) -> bool:
    flags = _flags_given(option, given)
    if not isinstance(option, Group) or not flags:
        return bool(flags)
    switch, first = _fields_of(option)[:2]
    if not (given.get(switch) or given.get(first)):
        raise ValueError(f"{' and '.join(flags)} without {_flag(switch)}: add it.")
    return True


def _value(option: Option, given: Given) -> Any:
    value = given.get(option.name)
    if isinstance(option, Text) and option.is_file:
        return text_of(str(value), sys.stdin)
    if not isinstance(option, Group):
        return value
    values = [given.get(name) for name in _fields_of(option)[1:]]
    if not values[0] and value != "on":
        values[0] = value
    return dict(zip((part.name for part in option.options), values, strict=True))


def _fields_of(option: Option) -> list[str]:
    """What the option is called; of a group each part, behind its switch."""
    return [option.name, *(option.fields if isinstance(option, Group) else ())]


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def text_of(path: str, standard_input: Any) -> str:
    """A file's text, or that of the standard input."""
    text: str = standard_input.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    return text


def filter_parameters(options: dict[str, Any]) -> dict[str, str]:
    """The filter among the options, as a query string would hold it; ValueError says what is wrong."""
    given = {name: options[name] for name in parameters() if options[name]}
    for text in options["payload"]:
        path, equals, value = text.partition("=")
        if not (path and equals and value):
            raise ValueError(
                f"--payload takes PATH=VALUE, such as data.order_id=7; it is {quoted(text, 60)}."
            )
        given[PAYLOAD_PREFIX + path] = value
    return given
