"""The arguments of `manage.py deadletters`: one verb, the list's filter, and the options of an operation."""

import sys
from argparse import SUPPRESS, ArgumentParser, _ArgumentGroup
from functools import partial
from typing import Any

from dlqconsole.console.operations.command_verbs import (
    CONTROLS,
    READS,
    Arguments,
    fields_of,
    is_given,
    operation_verbs,
)
from dlqconsole.engine.dead_letters.all_parts import parameters
from dlqconsole.engine.dead_letters.language.reading import PAYLOAD_PREFIX
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import Fate
from dlqconsole.operations.options import Option
from dlqconsole.people.command_line import add_token_option
from dlqconsole.processing.formats import FORMATS
from dlqconsole.processing.inputs.arguments import Once, add_flags, count, item_id, reason
from dlqconsole.processing.inputs.plain_text import flag, quoted
from dlqconsole.processing.plain_files import read_plain

# options that a read and a kind of operation share
_SHARED = ("format", "unmasked")
LONGEST_FILE = 256 * 1024 * 1024  # bytes, the most that a payload can ever have


def add_options(parser: ArgumentParser) -> None:
    """Declare the verb and the options. None: not given; a verb refuses options of others."""
    verbs = (*READS, *operation_verbs(), *CONTROLS)
    parser.add_argument("verb", choices=verbs, metavar="VERB", help=", ".join(verbs))
    parser.add_argument(
        "id", nargs="*", type=item_id, metavar="ID", help="numbers of dead letters, or of operations"
    )
    _add_scope_options(parser)
    add = partial(parser.add_argument, action=Once)
    add("--because", type=reason, help="why; needed for what changes something, and for --unmasked")
    add("--limit", type=count, metavar="N", help="rows of a list (50)")
    add("--format", choices=tuple(FORMATS), help="of an export (csv)")
    add("--output", metavar="FILE", help="the export's file; - is the standard output (-)")
    _add_switch(parser, "--unmasked", "show: personal data in the clear; an export needs --as-operation")
    _add_switch(parser, "--json", "one JSON object a line")
    _add_switch(parser, "--wait", "stay until the last of its messages is handled")
    add_token_option(parser)
    _add_operation_options(parser)


def _add_scope_options(parser: ArgumentParser) -> None:
    """Declare the options for the dead letters: ids, a filter, all, or the items of an operation."""
    for name in parameters():
        parser.add_argument(flag(name), dest=name, action=Once, help=f"the list's filter “{name}”")
        if "_" in name:  # as in an address
            parser.add_argument(f"--{name}", dest=name, action=Once, help=SUPPRESS)
    parser.add_argument(
        "--payload", action="append", metavar="PATH=VALUE", help="a value in the payload, by its path"
    )
    parser.add_argument("--id", dest="ids", action="append", type=item_id, help="this one; may repeat")
    _add_switch(parser, "--all", "every dead letter, without a filter")
    parser.add_argument(
        "--operation", action=Once, type=item_id, metavar="ID", help="the items of this operation; or itself"
    )
    parser.add_argument(
        "--outcome", action=Once, choices=Fate.values, help="which items of --operation (failed)"
    )


def _add_switch(parser: ArgumentParser | _ArgumentGroup, flag: str, words: str) -> None:
    parser.add_argument(flag, action="store_true", default=None, help=words)


def _add_operation_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("operations", "how a bulk action goes about it")
    for option in every_option():
        if option.name not in _SHARED:
            add_flags(group, option.inputs)
    add = partial(group.add_argument, action=Once)
    add("--payload-file", metavar="FILE", help="edit one: its new payload; - is the standard input")
    add("--typed-count", type=count, metavar="N", help="the count, where nobody else can approve")
    _add_switch(group, "--as-operation", "export in the background; the file waits on the receipt")


def every_option() -> list[Option]:
    """The options of all kinds that people can request, each once."""
    options = {option.name: option for kind in kinds.asked_for() for option in kind.options}
    return list(options.values())


def options_of(kind: Kind, args: Arguments) -> dict[str, Any]:
    """The arguments that are options of the kind. Raises ValueError for a contradiction."""
    options = {option.name: _value(option, args) for option in kind.options if _is_given(option, args)}
    kind.check_typed(options)
    return options


def _is_given(option: Option, args: Arguments) -> bool:
    flags = [flag(name) for name in fields_of(option) if is_given(args, name)]
    if option.parts and flags and not is_given(args, option.name):
        raise ValueError(f"{' and '.join(flags)} without {flag(option.name)}: add it.")
    return bool(flags)


def _value(option: Option, args: Arguments) -> Any:
    return text_of(str(args[option.name]), sys.stdin) if option.is_file else option.raw_value(args)


def text_of(path: str, standard_input: Any) -> str:
    """A plain file's text, or the standard input for ``-``. Raises OSError and UnicodeDecodeError."""
    text: str = standard_input.read() if path == "-" else read_plain(path, LONGEST_FILE).decode("utf-8")
    return text


def filter_parameters(options: dict[str, Any]) -> dict[str, str]:
    """The filter among the options, as in a query string; raises ValueError with a sentence."""
    query = {name: options[name] for name in parameters() if options[name]}
    for text in options["payload"] or ():
        path, equals, value = text.partition("=")
        if not (path and equals and value):
            raise ValueError(
                f"--payload takes PATH=VALUE, such as data.order_id=7; it is {quoted(text, 60)}."
            )
        query[PAYLOAD_PREFIX + path] = value
    return query
