"""An audit entry in words: no person sees a key of its detail."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.console.audit.accounts import sign_in_words
from dlqconsole.console.audit.subjects import number, subject_words
from dlqconsole.core.flow.judging import rate_words
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations import kinds
from dlqconsole.people.names import named
from dlqconsole.processing.quantities import counted

_STAGES = ("the probes", "1 %", "10 %")
_ALWAYS = ("done", "skipped", "failed")


def sentence(entry: AuditEntry) -> str:
    """``575 revived, 0 skipped (dead letters 2,844 to 66,997)``."""
    detail: Mapping[str, Any] = entry.detail
    for words_of in (subject_words, sign_in_words):
        if words := words_of(entry.target, entry.action, detail):
            return words
    actor = named(entry.actor)
    verb, _space, kind = entry.action.partition(" ")
    if verb == "request" and kind:
        return f"asked for by {actor}, {number(detail.get('expected'))} expected"
    if entry.action in ("completed", "cancelled"):
        return f"{entry.action}: {_outcome(detail)}"
    if entry.action == "cancel":
        return f"{actor} asked to stop: {_outcome(detail)}"
    if entry.action in _CONTROLS:
        return _CONTROLS[entry.action](actor, detail)
    if entry.action == "delete items":
        return (
            f"what became of each of {number(detail.get('items', 0))} items was let go of, after"
            f" {counted(int(detail.get('after_days', 0)), 'days')}"
        )
    if entry.action == "search":
        parts = (f"{name} {text}" for name, text in sorted(dict(detail.get("filter", {})).items()))
        return f"{actor} searched values: {', '.join(parts)}"
    if entry.action == "export" and "first" not in detail:
        return _export(detail)
    return _page(entry.action, detail) if "first" in detail else f"{entry.action} by {actor}"


def _pause(actor: str, detail: Mapping[str, Any]) -> str:
    return f"paused by {actor}, {number(detail.get('remaining', 0))} remaining"


def _resumption(actor: str, detail: Mapping[str, Any]) -> str:
    addition = ", without the canary that halted it" if detail.get("was") == "halted" else ""
    return f"resumed by {actor}{addition}"


def _approval(actor: str, detail: Mapping[str, Any]) -> str:
    return f"approved by {actor}: {number(detail.get('selected', 0))}, as listed"


def _refusal(actor: str, detail: Mapping[str, Any]) -> str:
    return f"refused by {actor}: nothing was done"


def _expiry(actor: str, detail: Mapping[str, Any]) -> str:
    return "nobody approved it in time: nothing was done"


def _halt(actor: str, detail: Mapping[str, Any]) -> str:
    return f"{detail.get('why', 'Halted.')} {number(detail.get('remaining', 0))} remaining."


def _advance(actor: str, detail: Mapping[str, Any]) -> str:
    stage = min(max(int(detail.get("stage", 1)), 1), len(_STAGES))
    counts = f"{number(detail.get('stayed', 0))} succeeded, {number(detail.get('came_back', 0))} failed again"
    return f"canary passed {_STAGES[stage - 1]}: {counts}"


def _slowdown(actor: str, detail: Mapping[str, Any]) -> str:
    rate = rate_words(float(detail.get("rate", 0)))
    of_type = f" ({event_type})" if (event_type := detail.get("event_type")) else ""
    return f"slowed by itself to {rate}: {detail.get('why', '')}{of_type}"


def _full_speed(actor: str, detail: Mapping[str, Any]) -> str:
    return f"{actor} chose to ignore automatic slowing"


def _file_download(actor: str, detail: Mapping[str, Any]) -> str:
    addition = ", masked" if detail.get("masked") else ", unmasked"
    return f"{actor} took its file: {number(detail.get('rows', 0))} rows{addition}"


def _receipt_download(actor: str, detail: Mapping[str, Any]) -> str:
    return f"{actor} took its items as CSV"


_CONTROLS = {
    "download export": _file_download,
    "download receipt": _receipt_download,
    "pause": _pause,
    "resume": _resumption,
    "approve": _approval,
    "refuse": _refusal,
    "expire": _expiry,
    "halt": _halt,
    "advance": _advance,
    "slow": _slowdown,
    "full speed": _full_speed,
}


def _page(kind: str, detail: Mapping[str, Any]) -> str:
    """The result of one commit of an operation, and the dead letters or messages of it."""
    noun = kinds.shown(kind).items.noun
    counts = [f"{number(detail['done'])} {kinds.shown(kind).past}"] if "done" in detail else []
    if not counts and (number_begun := detail.get("begun")):
        counts.append(f"{number(number_begun)} handed to their handlers")
    words = {"skipped": "skipped", "failed": kinds.shown(kind).failing}
    counts += [f"{number(detail[name])} {word}" for name, word in words.items() if name in detail]
    first, last = detail["first"], detail["last"]
    range_ = f"{noun}s {number(first)} to {number(last)}"
    pages = detail.get("pages", 1)
    where = f"{noun} {number(first)}" if first == last else range_
    return f"{', '.join(counts)} ({where}{f', {number(pages)} pages' if pages > 1 else ''})"


def _outcome(detail: Mapping[str, Any]) -> str:
    counts = [f"{number(detail.get(name, 0))} {name}" for name in _ALWAYS]
    if remaining := detail.get("remaining"):
        counts.append(f"{number(remaining)} left as they were")
    return ", ".join(counts)


def _export(detail: Mapping[str, Any]) -> str:
    names = {"csv": "CSV", "jsonl": "JSON Lines"}
    form = names.get(str(detail.get("format")), str(detail.get("format", "")))
    addition = "" if detail.get("completed", True) else ", cut off"
    return f"{number(detail.get('rows', 0))} rows exported as {form}{addition}"
