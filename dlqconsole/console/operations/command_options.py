"""What `manage.py deadletters` understands: one verb, the list's filter, and the options of an operation."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from dlqconsole.engine.dead_letters.filters import PARAMETERS, PAYLOAD_PREFIX
from dlqconsole.operations.models import ItemStatus
from dlqconsole.processing.inputs.arguments import count, item_id, reason

READS = ("list", "count", "show", "export")
KINDS = ("retry", "revive", "discard", "restore", "edit", "reclassify", "purge")
CONTROLS = ("undo", "pause", "resume", "cancel", "approve", "refuse")
VERBS = (*READS, *KINDS, *CONTROLS)


def add_options(parser: ArgumentParser) -> None:
    """Declare the verb and the options."""
    parser.add_argument("verb", choices=VERBS, metavar="VERB", help=", ".join(VERBS))
    parser.add_argument(
        "id", nargs="*", type=item_id, metavar="ID", help="numbers of dead letters, or of operations"
    )
    for name in PARAMETERS:
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
    parser.add_argument("--unmasked", action="store_true", help="show personal data; needs --because")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--limit", type=count, default=50, help="rows of a list (50)")
    parser.add_argument("--wait", action="store_true", help="stay until the operation has ended")
    parser.add_argument("--format", choices=("csv", "jsonl"), default="csv", help="of an export (csv)")
    parser.add_argument("--output", default="-", help="the export's file; - is the standard output")
    _add_operation_options(parser)


def _add_operation_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("operations", "how a bulk action goes about it")
    group.add_argument("--rate", default="", metavar="N", help="at most so many items a second")
    group.add_argument(
        "--queue-to", default="", metavar="NAME", help="revive to this queue, not to the origin"
    )
    group.add_argument("--no-order", action="store_true", help="do not keep the order of message groups")
    group.add_argument(
        "--undo-window", default="0", metavar="SECONDS", help="hold revived messages back so long (0)"
    )
    group.add_argument(
        "--canary", default="", metavar="N", help="try so many first, then 1 %%, 10 %%, the rest"
    )
    group.add_argument("--threshold", default="", metavar="P", help="halt when more than P percent come back")
    group.add_argument("--watch", default="", metavar="S", help="watch each stage so many seconds")
    group.add_argument("--recipe", metavar="FILE", help="edit many by a JSON Patch; - is the standard input")
    group.add_argument(
        "--payload-file", metavar="FILE", help="edit one: its new payload; - is the standard input"
    )
    group.add_argument("--to-category", default="", metavar="C", help="reclassify to this; else by the rules")
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


def form_fields(options: dict[str, Any], recipe: str = "") -> dict[str, str]:
    """The options as the confirm page's form has them."""
    if (options["threshold"] or options["watch"]) and not options["canary"]:
        raise ValueError("--threshold and --watch are a canary's: add --canary 5.")
    return {
        "rate": options["rate"],
        "queue": options["queue_to"],
        "no_order": "on" if options["no_order"] else "",
        "undo_seconds": options["undo_window"],
        "canary": "on" if options["canary"] else "",
        "canary_probes": options["canary"],
        "canary_threshold": options["threshold"],
        "canary_watch": options["watch"],
        "recipe": recipe,
        "category": options["to_category"],
        "format": options["format"],
    }


def text_of(path: str, standard_input: Any) -> str:
    """A file's text, or that of the standard input."""
    return standard_input.read() if path == "-" else Path(path).read_text(encoding="utf-8")


def filter_parameters(options: dict[str, Any]) -> dict[str, str]:
    """The filter among the options, as a query string would hold it; ValueError says what is wrong."""
    given = {name: options[name] for name in PARAMETERS if options[name]}
    for text in options["payload"]:
        path, equals, value = text.partition("=")
        if not (path and equals and value):
            raise ValueError(f"--payload takes PATH=VALUE, such as data.order_id=7; it is “{text[:60]}”.")
        given[PAYLOAD_PREFIX + path] = value
    return given
