"""Audit entries of queues, rules, groups and single dead letters, in words."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from django.utils.module_loading import import_string

from dlqconsole.console.audit import accounts
from dlqconsole.features import features
from dlqconsole.people.names import named

_PLAIN = {
    "resolve": "resolved",
    "reopen": "opened again",
    "snooze": "put to sleep",
    "regress": "it was resolved, and failed again",
    "delete": "deleted",
    "enable": "switched on",
    "disable": "switched off",
    "attach": "attached it",
    "detach": "let go of it",
    "pause": "paused it",
    "resume": "resumed it",
}
_LONGEST = 60

# by action, what is said of an entry's detail
type Words = dict[str, Callable[[Mapping[str, Any]], str]]


def subject_words(target: str, action: str, detail: Mapping[str, Any]) -> str:
    """The sentence for ``noun:id``; empty if there is none for it."""
    noun = target.partition(":")[0]
    words = _nouns().get(noun, {}).get(action)
    if words is not None:
        return words(detail)
    return _PLAIN.get(action, "") if noun in _nouns() else ""


def number(value: Any) -> str:
    """A number with its thousands apart; anything else as text."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def changes(detail: Mapping[str, Any]) -> str:
    """``name old → new`` for each value that was changed."""
    pairs = detail.get("changes", {}).items()
    return "; ".join(f"{_name(name)} {_value(old)} → {_value(new)}" for name, (old, new) in pairs)


def _creation(detail: Mapping[str, Any]) -> str:
    values = ", ".join(f"{_name(name)} {_value(value)}" for name, value in detail.items() if value != "")
    return f"made with {values or 'the defaults'}"


def _run(detail: Mapping[str, Any]) -> str:
    job = f"asked for a run of the pipeline ({detail.get('job', '')})"
    rest = {name: value for name, value in detail.items() if name not in ("job", "operation") and value}
    return f"{job}: {_creation(rest).removeprefix('made with ')}" if rest else job


def _account_changes(detail: Mapping[str, Any]) -> str:
    return accounts.describe_changes(changes(detail), detail)


def _expiry(detail: Mapping[str, Any]) -> str:
    queues = ", ".join(f"{number(count)} of {name}" for name, count in _largest(detail.get("queues", {})))
    return (
        f"{number(detail.get('messages', 0))} archived messages had outlived their time, and went: {queues}"
    )


def _move(detail: Mapping[str, Any]) -> str:
    return f"moved {number(detail.get('messages', 0))} messages to {detail.get('to', '')}"


def _largest(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _shortening(detail: Mapping[str, Any]) -> str:
    return (
        f"the archive is kept for {number(detail.get('days', 0))} days: {number(detail.get('deleted', 0))}"
        f" messages went, {number(detail.get('shortened', 0))} will go earlier"
    )


def _merge(detail: Mapping[str, Any]) -> str:
    if "into" in detail:
        return f"merged into group {detail['into']}"
    return f"took in {len(detail.get('groups', []))} other groups"


def _claim(detail: Mapping[str, Any]) -> str:
    until = detail.get("changes", {}).get("claimed_until", ["", ""])[1]
    return f"works on it until {str(until)[:16].replace('T', ' ')} UTC"


def _split(detail: Mapping[str, Any]) -> str:
    return f"split out of group {detail['out_of']}" if "out_of" in detail else "a fingerprint was split out"


def _reveal(detail: Mapping[str, Any]) -> str:
    if detail.get("by") == "recipe":
        return "personal data shown in the preview of a recipe"
    return f"personal data shown for {number(detail.get('minutes', 10))} minutes"


def _token(detail: Mapping[str, Any]) -> str:
    until = f", for {number(detail['days'])} days" if "days" in detail else ""
    scope = f", scope {detail['scope']}" if "scope" in detail else ""
    return f"the token {detail.get('prefix', '')}… of {named(str(detail.get('user', '')))}{until}{scope}"


def _token_use(detail: Mapping[str, Any]) -> str:
    return f"{detail.get('command', '')}, as {detail.get('machine', '')} of the machine"


def _name(name: str) -> str:
    return name.replace("_", " ")


def _value(value: Any) -> str:
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return ("no", "yes")[value]
    text = number(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _for(words: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda detail: f"{words} {detail.get('for', '')}".strip()


def _policy_changes(detail: Mapping[str, Any]) -> str:
    return f"for {detail.get('for', '')}: {changes(detail)}"


def _pause(detail: Mapping[str, Any]) -> str:
    return f"paused the schedule for {detail.get('for', '')}, until {detail.get('until', '')}"


_NOUNS: dict[str, Words] = {
    "queue": {
        "change": changes,
        "create": _creation,
        "drop": lambda detail: "dropped, it was empty",
        "shorten": _shortening,
        "make due": lambda detail: f"made message {detail.get('message', '')} due at once",
        "move": lambda detail: (
            f"moved {number(detail.get('messages', 0))} messages to {detail.get('to', '')}"
        ),
        "delete message": lambda detail: f"deleted message {detail.get('message', '')}",
        "bind": lambda detail: f"gets what is sent to {detail.get('pattern', '')}",
        "unbind": lambda detail: f"gets nothing more by {detail.get('pattern', '')}",
    },
    "archive": {"expire": _expiry},
    "rule": {
        "create": _creation,
        "change": changes,
        "move": lambda detail: f"moved to place {number(detail.get('position', ''))}",
    },
    "owner_rule": {
        "create": _creation,
        "change": changes,
        "move": lambda detail: f"moved to place {number(detail.get('position', ''))}",
    },
    "retry_policy": {
        "create": _creation,
        "change": _policy_changes,
        "delete": _for("deleted, it was for"),
        "pause": _pause,
        "resume": _for("let the schedule go on with"),
    },
    "breaker": {
        "hold open": lambda detail: f"held it open until {detail.get('until', '')}",
        "hold closed": lambda detail: f"held it closed until {detail.get('until', '')}",
    },
    "schedule": {"run now": lambda detail: "asked for a run"},
    "pipeline_run": {
        "start run": _run,
        "cancel run": lambda detail: f"{detail.get('job', '')}: told to stop",
    },
    "group": {
        "describe": changes,
        "claim": _claim,
        "release": lambda detail: "nobody works on it any more",
        "merge": _merge,
        "split": _split,
    },
    "setting": {"set": changes},
    "view": {
        "save view": lambda detail: f"saved the shared view {_value(detail.get('name', ''))}",
        "delete view": lambda detail: f"deleted the shared view {_value(detail.get('name', ''))}",
    },
    "token": {"make token": _token, "revoke token": _token, "use token": _token_use},
    "dead_letter": {
        "edit": lambda detail: "edited",
        "reveal": _reveal,
        "download payload": lambda detail: "its payload was saved, unmasked",
    },
    "message": {
        "reveal": _reveal,
        "download payload": lambda detail: "its payload was saved, unmasked",
    },
    "account": {
        "create": accounts.describe_new,
        "change": _account_changes,
        "change password": accounts.describe_password,
        "delete": accounts.describe_deletion,
        "join role": accounts.describe_joining,
        "leave role": accounts.describe_leaving,
        "grant": accounts.describe_grant,
        "revoke": accounts.describe_revocation,
        "add scope": accounts.describe_scope,
        "remove scope": accounts.describe_scope_removal,
    },
    "role": {
        "create": accounts.describe_new,
        "change": _account_changes,
        "delete": accounts.describe_deletion,
        "grant": accounts.describe_grant,
        "revoke": accounts.describe_revocation,
        "add scope": accounts.describe_scope,
        "remove scope": accounts.describe_scope_removal,
    },
    "table": {"truncate": lambda detail: "emptied, with everything in it"},
}


@cache
def _nouns() -> dict[str, Words]:
    """The console's own, and those of the features: a feature may add actions to a noun that is there."""
    nouns = {noun: dict(words) for noun, words in _NOUNS.items()}
    for feature in features():
        if feature.audit_words:
            for noun, words in import_string(feature.audit_words).items():
                nouns.setdefault(noun, {}).update(words)
    return nouns
