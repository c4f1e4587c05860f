"""The arguments of `manage.py queues`: a verb, a name, and the parts of a policy as options."""

from argparse import SUPPRESS, ArgumentParser, BooleanOptionalAction
from typing import Any

from dlqconsole.engine.models.queues import NotifyMode, Retention
from dlqconsole.engine.queues.policy import FIELDS
from dlqconsole.people.command_line import add_token_option
from dlqconsole.processing.inputs.arguments import count, measure, reason

_VERBS = {
    "show": "one queue: its policy, its figures, its last hour",
    "create": "make a queue with a policy",
    "change": "change a queue's policy",
    "pause": "let nobody claim from it",
    "resume": "let consumers go on",
    "purge": "ask for the operation that removes the messages which are not in flight, and wait for it",
    "drop": "remove an empty queue; its dead letters stay",
}


def add_options(parser: ArgumentParser) -> None:
    """Declare the verbs; without one the queues are listed."""
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    add_token_option(parser)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs")
    for verb, words in _VERBS.items():
        one = verbs.add_parser(verb, help=words, description=words.capitalize())
        one.add_argument("name", metavar="NAME")
        # SUPPRESS: a --json before the verb must not be forgotten
        one.add_argument("--json", action="store_true", default=SUPPRESS, help="as a JSON object")
        add_token_option(one, of_verb=True)
        if verb != "show":
            one.add_argument("--because", type=reason, default="", help="why; kept in the audit log")
        if verb in ("create", "change"):
            _add_policy(one)
        if verb in ("change", "purge"):
            one.add_argument("--yes", action="store_true", help="do not ask on the terminal")
    _add_own(verbs.choices)


def _add_own(verbs: dict[str, ArgumentParser]) -> None:
    verbs["purge"].add_argument(
        "--expect",
        type=count,
        metavar="N",
        help="refuse unless exactly so many would go; approves so many where nobody else can",
    )
    verbs["change"].add_argument(
        "--shorten-archived",
        action="store_true",
        help="keep what is archived already no longer than its archive days, either",
    )
    verbs["change"].add_argument(
        "--expect", type=count, metavar="N", help="refuse unless that shortens exactly so many"
    )


def _add_policy(parser: ArgumentParser) -> None:
    """Declare each part of a policy; a part that is not given stays as it is."""
    add = parser.add_argument
    add("--max-retries", type=count, metavar="N", help="retries on the queue before a dead letter (3)")
    add(
        "--lease",
        "--lease-seconds",
        type=count,
        metavar="SECONDS",
        dest="lease_seconds",
        help="a claim's lease (60)",
    )
    add(
        "--backoff-base", type=measure, metavar="SECONDS", dest="backoff_base_seconds", help="first delay (5)"
    )
    add("--backoff-factor", type=measure, metavar="X", help="each delay is so many times the last (2)")
    add(
        "--backoff-cap",
        type=measure,
        metavar="SECONDS",
        dest="backoff_cap_seconds",
        help="longest delay (3600)",
    )
    add(
        "--jitter",
        "--backoff-jitter",
        type=measure,
        metavar="SHARE",
        dest="backoff_jitter",
        help="drawn by lot, 0 to 1 (1)",
    )
    add("--retention", choices=Retention.values, help="what becomes of completed messages (delete)")
    add("--archive-days", type=count, metavar="N", help="how long to keep what is archived from now on (30)")
    add("--notify", choices=NotifyMode.values, help="when sleeping consumers are woken (throttled)")
    add(
        "--fifo",
        "--fifo-groups",
        action=BooleanOptionalAction,
        dest="fifo_groups",
        help="groups one at a time, in order",
    )
    add("--rate-limit", type=_rate, metavar="N", help="claims a second by all consumers, or none")
    add("--unlogged", action=BooleanOptionalAction, help="faster, and gone after a crash of the database")


def policy(options: dict[str, Any]) -> dict[str, Any]:
    """The given parts of the policy."""
    values = {name: options[name] for name in FIELDS if options[name] is not None}
    return {name: None if value == "none" else value for name, value in values.items()}


def _rate(text: str) -> float | str:
    return text if text == "none" else measure(text)
