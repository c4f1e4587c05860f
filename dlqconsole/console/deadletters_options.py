"""What `manage.py deadletters` understands: one verb, and the list's filter as options."""

from argparse import ArgumentParser
from typing import Any

from dlqconsole.engine.filters import PARAMETERS, PAYLOAD_PREFIX

READS = ("list", "count", "show", "export")
VERBS = (*READS, "retry", "revive", "discard", "restore")


def add_options(parser: ArgumentParser) -> None:
    """Declare the verb and the options."""
    parser.add_argument("verb", choices=VERBS, metavar="VERB", help=", ".join(VERBS))
    parser.add_argument("id", nargs="*", type=_number, metavar="ID", help="numbers of dead letters")
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
        "--id", dest="ids", action="append", type=_number, default=[], help="this one; may repeat"
    )
    parser.add_argument("--all", action="store_true", help="every dead letter, without a filter")
    parser.add_argument("--because", default="", help="why; needed for what changes something")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--limit", type=_number, default=50, help="rows of a list (50)")
    parser.add_argument("--wait", action="store_true", help="stay until the operation has ended")
    parser.add_argument("--format", choices=("csv", "jsonl"), default="csv", help="of an export (csv)")
    parser.add_argument("--output", default="-", help="the export's file; - is the standard output")


def filter_parameters(options: dict[str, Any]) -> dict[str, str]:
    """The filter among the options, as a query string would hold it; ValueError says what is wrong."""
    given = {name: options[name] for name in PARAMETERS if options[name]}
    for text in options["payload"]:
        path, equals, value = text.partition("=")
        if not (path and equals and value):
            raise ValueError(f"--payload takes PATH=VALUE, such as data.order_id=7; it is “{text[:60]}”.")
        given[PAYLOAD_PREFIX + path] = value
    return given


def _number(text: str) -> int:
    number = int(text)
    if not 0 <= number < 2**63:
        raise ValueError(text)
    return number
