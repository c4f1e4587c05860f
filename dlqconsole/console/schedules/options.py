"""The arguments of ``manage.py schedule``: a verb, a scope, and the values of a policy."""

import re
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.http import QueryDict

from dlqconsole.console.schedules.forms import PolicyScopeForm, RetryPolicyForm
from dlqconsole.core.lifecycle.states import Category
from dlqconsole.people.command_line import add_token_option
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.arguments import reason
from dlqconsole.processing.inputs.durations import as_duration
from dlqconsole.processing.inputs.flags import Once
from dlqconsole.processing.inputs.moments import as_moment
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies import Policies, Scope
from dlqconsole.retries.policies.checks import InvalidPolicy, check_scope

_VERBS = {
    "show": "what is due, when it runs, each policy with the values that count, and why the rest waits",
    "preview": "one policy: the next five runs, and what it touches; with options, as if it were kept so",
    "set": "keep a policy, new or changed; what is not given stays as it is",
    "delete": "remove a policy: what it said comes from the next less specific one",
    "pause": "let the schedule begin nothing of it; without --type, --category or --group: nothing at all",
    "resume": "let the schedule go on with it",
    "run": "ask the workers for a run now",
}
_OPEN = "open"
# an option, the field of the form, and its metavar
_VALUES = (
    ("--enabled", "enabled", "yes|no|open"),
    ("--max-retries", "max_retries", "N"),
    ("--rate", "rate", "N"),
    ("--parallelism", "parallelism", "N"),
    ("--weight", "weight", "N"),
    ("--batch", "batch", "N"),
    ("--lease", "lease_seconds", "SECONDS"),
    ("--lock-at-least", "lock_at_least_seconds", "SECONDS"),
)
_HINTS = {
    "enabled": "whether the schedule retries them",
    "max_retries": "so many failed tries in all",
    "rate": "attempts a second",
    "parallelism": "handlers at once",
    "weight": "turns among those of the others",
    "batch": "claimed at once",
    "lease_seconds": "how long a claim holds",
    "lock_at_least_seconds": "of the policy for all: how long the lock is held at least",
}
_WINDOW_HELP = "'mon,tue 22:00-06:00 Europe/Berlin', always, or open"
_WINDOW = re.compile(r"(\S+)\s+([0-9:]+)-([0-9:]+)\s+(\S+)")


def add_options(parser: ArgumentParser) -> None:
    """Declare the verbs; without one it is ``show``."""
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    add_token_option(parser)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs")
    for verb, words in _VERBS.items():
        one = verbs.add_parser(verb, help=words, description=words.capitalize())
        # SUPPRESS: a --json before the verb must not be forgotten
        one.add_argument("--json", action="store_true", default=SUPPRESS, help="as a JSON object")
        add_token_option(one, of_verb=True)
        if verb not in ("show", "preview"):
            one.add_argument("--because", type=reason, default="", help="why; kept in the audit log")
        if verb not in ("show", "run"):
            _add_scope(one)
        if verb in ("preview", "set"):
            _add_values(one)
    verbs.choices["pause"].add_argument(
        "--until", action=Once, metavar="WHEN", help="8h, 3d, or a time in UTC"
    )


def _add_scope(parser: ArgumentParser) -> None:
    parser.add_argument("--type", dest="event_type", action=Once, metavar="TYPE", help="an event type")
    categories = [str(name) for name in Category]
    parser.add_argument("--category", action=Once, choices=categories, help="a category")
    parser.add_argument("--group", action=Once, metavar="N", help="a failure group, alone")


def _add_values(parser: ArgumentParser) -> None:
    """Each value of a policy; ``open`` leaves it to the next less specific one."""
    for option, name, takes in _VALUES:
        parser.add_argument(option, dest=name, action=Once, metavar=takes, help=_HINTS[name])
    parser.add_argument(
        "--backoff",
        action=Once,
        metavar="6h|1m..6h|open",
        help="the same wait each time, or doubled from … to …",
    )
    parser.add_argument(
        "--window",
        action=Once,
        metavar="DAYS HH:MM-HH:MM ZONE",
        help=_WINDOW_HELP,
    )


def scope(options: Mapping[str, Any]) -> Scope:
    """The scope of the policy. Raises InvalidPolicy."""
    form = PolicyScopeForm({name: options.get(name) or "" for name in ("event_type", "category", "group")})
    if not form.is_valid():
        raise InvalidPolicy([("", " ".join(form.sentences))])
    check_scope(form.scope)
    return form.scope


def policy_values(
    options: Mapping[str, Any], whose: Scope, policy: RetryPolicy | None, policies: Policies
) -> dict[str, Any]:
    """The policy with the values of the options. Raises InvalidPolicy, in the page's words."""
    form = RetryPolicyForm(scope=whose, policy=policy, policies=policies)
    data = QueryDict(mutable=True)
    for name, field in form.fields.items():
        value = form[name].value()
        text = field.prepare_value(value)
        data.setlist(name, text if isinstance(text, list) else [] if text is None else [str(text)])
    for _option, name, _takes in _VALUES:
        if options.get(name) is not None:
            data[name] = "" if options[name] == _OPEN else options[name]
    _take_backoff(data, options.get("backoff"))
    _take_window(data, options.get("window"))
    data["do"] = "try"
    trial_form = RetryPolicyForm(data, scope=whose, policy=policy, policies=policies)
    if options.get("lock_at_least_seconds") not in (None, _OPEN) and not whose.is_all:
        raise InvalidPolicy([("", "There is one lock: the policy for all dead letters says how long.")])
    if not trial_form.is_valid():
        raise InvalidPolicy([("", " ".join(trial_form.sentences))])
    return trial_form.policy_values


def has_values(options: Mapping[str, Any]) -> bool:
    """Tell whether the options hold a value of a policy."""
    names = [name for _option, name, _takes in _VALUES]
    return any(options.get(name) is not None for name in (*names, "backoff", "window"))


def until(text: str | None) -> datetime | None:
    """The end of a pause. Raises InvalidInput."""
    if text is None:
        return None
    length = as_duration(text)
    if length is not None:
        return database_now() + length
    moment = as_moment(text)
    if moment is None:
        raise InvalidInput("--until is 8h, 3d, a date or a time in UTC.")
    return moment


def _take_backoff(data: QueryDict, text: str | None) -> None:
    if text is None:
        return
    base, dots, cap = ("", "", "") if text == _OPEN else text.partition("..")
    data["backoff"] = "" if text == _OPEN else "exponential" if dots else "fixed"
    data["backoff_base_seconds"], data["backoff_cap_seconds"] = base, cap


def _take_window(data: QueryDict, text: str | None) -> None:
    if text is None:
        return
    if text in (_OPEN, "always"):
        data["window"] = "" if text == _OPEN else text
        return
    match = _WINDOW.fullmatch(text.strip())
    if match is None:
        raise InvalidPolicy(
            [("window", "Write a window as 'mon,tue 22:00-06:00 Europe/Berlin', always, or open.")]
        )
    data["window"] = "hours"
    data.setlist("window_days", match[1].split(","))
    data["window_begins"], data["window_ends"], data["window_zone"] = match[2], match[3], match[4]
