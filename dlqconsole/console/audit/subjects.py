"""Audit entries of queues, rules, groups and single dead letters, in words."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from dlqconsole.console.audit import accounts
from dlqconsole.features import features
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.people.names import named

_PLAIN = {
    "resolve": gettext_lazy("resolved"),
    "reopen": gettext_lazy("opened again"),
    "snooze": gettext_lazy("put to sleep"),
    "regress": gettext_lazy("it was resolved, and failed again"),
    "delete": gettext_lazy("deleted"),
    "enable": gettext_lazy("switched on"),
    "disable": gettext_lazy("switched off"),
    "attach": gettext_lazy("attached it"),
    "detach": gettext_lazy("let go of it"),
    "pause": gettext_lazy("paused it"),
    "resume": gettext_lazy("resumed it"),
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
    return str(_PLAIN.get(action, "")) if noun in _nouns() else ""


def number(value: Any) -> str:
    """A number with its thousands apart; anything else as text."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def changes(detail: Mapping[str, Any]) -> str:
    """``name old → new`` for each value that was changed."""
    pairs = detail.get("changes", {}).items()
    return _("; ").join(f"{_name(name)} {_value(old)} → {_value(new)}" for name, (old, new) in pairs)


def _creation(detail: Mapping[str, Any]) -> str:
    values = _values(detail)
    return _("made with {values}").format(values=values or _("the defaults"))


def _values(detail: Mapping[str, Any]) -> str:
    return _(", ").join(f"{_name(name)} {_value(value)}" for name, value in detail.items() if value != "")


def _run(detail: Mapping[str, Any]) -> str:
    job = _("asked for a run of the pipeline ({job})").format(job=detail.get("job", ""))
    rest = {name: value for name, value in detail.items() if name not in ("job", "operation") and value}
    return f"{job}: {_values(rest)}" if rest else job


def _account_changes(detail: Mapping[str, Any]) -> str:
    return accounts.describe_changes(changes(detail), detail)


def _expiry(detail: Mapping[str, Any]) -> str:
    queues = ", ".join(
        _("{count} of {name}").format(count=number(count), name=name)
        for name, count in _largest(detail.get("queues", {}))
    )
    return _("{messages} archived messages had outlived their time, and went: {queues}").format(
        messages=number(detail.get("messages", 0)), queues=queues
    )


def _move(detail: Mapping[str, Any]) -> str:
    return _("moved {messages} messages to {to}").format(
        messages=number(detail.get("messages", 0)), to=detail.get("to", "")
    )


def _largest(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _shortening(detail: Mapping[str, Any]) -> str:
    return _(
        "the archive is kept for {days} days: {deleted} messages went, {shortened} will go earlier"
    ).format(
        days=number(detail.get("days", 0)),
        deleted=number(detail.get("deleted", 0)),
        shortened=number(detail.get("shortened", 0)),
    )


def _merge(detail: Mapping[str, Any]) -> str:
    if "into" in detail:
        return _("merged into group {into}").format(into=detail["into"])
    return _("took in {groups} other groups").format(groups=len(detail.get("groups", [])))


def _claim(detail: Mapping[str, Any]) -> str:
    until = detail.get("changes", {}).get("claimed_until", ["", ""])[1]
    return _("works on it until {moment} UTC").format(moment=str(until)[:16].replace("T", " "))


def _split(detail: Mapping[str, Any]) -> str:
    return (
        _("split out of group {out_of}").format(out_of=detail["out_of"])
        if "out_of" in detail
        else _("a fingerprint was split out")
    )


def _reveal(detail: Mapping[str, Any]) -> str:
    if detail.get("by") == "recipe":
        return _("personal data shown in the preview of a recipe")
    return _("personal data shown for {minutes} minutes").format(minutes=number(detail.get("minutes", 10)))


def _token(detail: Mapping[str, Any]) -> str:
    parts = [
        _("the token {prefix}… of {who}").format(
            prefix=detail.get("prefix", ""), who=named(str(detail.get("user", "")))
        )
    ]
    if "days" in detail:
        parts.append(_("for {number} days").format(number=number(detail["days"])))
    if "scope" in detail:
        parts.append(_("scope {scope}").format(scope=detail["scope"]))
    return _(", ").join(parts)


def _token_use(detail: Mapping[str, Any]) -> str:
    return _("{command}, as {machine} of the machine").format(
        command=detail.get("command", ""), machine=detail.get("machine", "")
    )


def _name(name: str) -> str:
    return name.replace("_", " ")


def _value(value: Any) -> str:
    if value is None or value == "":
        return _("none")
    if isinstance(value, bool):
        return (_("no"), _("yes"))[value]
    text = number(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _for(words: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda detail: words.format(scope=detail.get("for", "")).strip()


def _policy_changes(detail: Mapping[str, Any]) -> str:
    return _("for {scope}: {detail}").format(scope=detail.get("for", ""), detail=changes(detail))


def _pause(detail: Mapping[str, Any]) -> str:
    return _("paused the schedule for {scope}, until {until}").format(
        scope=detail.get("for", ""), until=detail.get("until", "")
    )


_NOUNS: dict[str, Words] = {
    "queue": {
        "change": changes,
        "create": _creation,
        "drop": lambda detail: _("dropped, it was empty"),
        "shorten": _shortening,
        "make due": lambda detail: _("made message {message} due at once").format(
            message=detail.get("message", "")
        ),
        "move": lambda detail: _("moved {messages} messages to {to}").format(
            messages=number(detail.get("messages", 0)), to=detail.get("to", "")
        ),
        "delete message": lambda detail: _("deleted message {message}").format(
            message=detail.get("message", "")
        ),
        "bind": lambda detail: _("gets what is sent to {pattern}").format(pattern=detail.get("pattern", "")),
        "unbind": lambda detail: _("gets nothing more by {pattern}").format(
            pattern=detail.get("pattern", "")
        ),
    },
    "archive": {"expire": _expiry},
    "rule": {
        "create": _creation,
        "change": changes,
        "move": lambda detail: _("moved to place {position}").format(
            position=number(detail.get("position", ""))
        ),
    },
    "owner_rule": {
        "create": _creation,
        "change": changes,
        "move": lambda detail: _("moved to place {position}").format(
            position=number(detail.get("position", ""))
        ),
    },
    "retry_policy": {
        "create": _creation,
        "change": _policy_changes,
        "delete": _for(gettext_lazy("deleted, it was for {scope}")),
        "pause": _pause,
        "resume": _for(gettext_lazy("let the schedule go on with {scope}")),
    },
    "breaker": {
        "hold open": lambda detail: _("held it open until {until}").format(until=detail.get("until", "")),
        "hold closed": lambda detail: _("held it closed until {until}").format(until=detail.get("until", "")),
    },
    "schedule": {"run now": lambda detail: _("asked for a run")},
    "pipeline_run": {
        "start run": _run,
        "cancel run": lambda detail: _("{job}: told to stop").format(job=detail.get("job", "")),
    },
    "group": {
        "describe": changes,
        "claim": _claim,
        "release": lambda detail: _("nobody works on it any more"),
        "merge": _merge,
        "split": _split,
    },
    "setting": {"set": changes},
    "view": {
        "save view": lambda detail: _("saved the shared view {name}").format(
            name=_value(detail.get("name", ""))
        ),
        "delete view": lambda detail: _("deleted the shared view {name}").format(
            name=_value(detail.get("name", ""))
        ),
    },
    "token": {"make token": _token, "revoke token": _token, "use token": _token_use},
    "dead_letter": {
        "edit": lambda detail: "edited",
        "reveal": _reveal,
        "download payload": lambda detail: _("its payload was saved, unmasked"),
    },
    "message": {
        "reveal": _reveal,
        "download payload": lambda detail: _("its payload was saved, unmasked"),
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
    "table": {"truncate": lambda detail: _("emptied, with everything in it")},
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
