"""What an audit entry says, in words: no key of its detail is shown to a person."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.engine.models import AuditEntry

_PAST = {
    "revive": "revived",
    "discard": "discarded",
    "restore": "restored",
    "retry": "tried again",
    "edit": "edited",
    "reclassify": "re-classified",
    "export": "exported",
    "purge": "purged",
    "undo": "taken back",
}
_STAGES = ("the probes", "1 %", "10 %")
_ALWAYS = ("done", "skipped", "failed")


def sentence(entry: AuditEntry) -> str:
    """``575 revived, 0 skipped (dead letters 2,844 to 66,997)``."""
    detail: Mapping[str, Any] = entry.detail
    if entry.target.startswith("queue:"):
        return _queue(entry.action, detail) or f"{entry.action} by {entry.actor}"
    verb, _space, kind = entry.action.partition(" ")
    if verb == "request" and kind:
        return f"asked for by {entry.actor}, {_number(detail.get('expected'))} expected"
    if entry.action in ("completed", "cancelled"):
        return f"{entry.action}: {_outcome(detail)}"
    if entry.action == "cancel":
        return f"{entry.actor} asked to stop: {_outcome(detail)}"
    if entry.action in _CONTROLS:
        return _CONTROLS[entry.action](entry.actor, detail)
    if entry.action == "export" and "first" not in detail:
        return _export(detail)
    return _page(entry.action, detail) if "first" in detail else f"{entry.action} by {entry.actor}"


def _paused(actor: str, detail: Mapping[str, Any]) -> str:
    return f"paused by {actor}, {_number(detail.get('remaining', 0))} remaining"


def _resumed(actor: str, detail: Mapping[str, Any]) -> str:
    ended = ", without the canary that halted it" if detail.get("was") == "halted" else ""
    return f"resumed by {actor}{ended}"


def _approved(actor: str, detail: Mapping[str, Any]) -> str:
    return f"approved by {actor}: {_number(detail.get('selected', 0))}, as frozen"


def _refused(actor: str, detail: Mapping[str, Any]) -> str:
    return f"refused by {actor}: nothing was done"


def _expired(actor: str, detail: Mapping[str, Any]) -> str:
    return "nobody approved it in time: nothing was done"


def _halted(actor: str, detail: Mapping[str, Any]) -> str:
    return f"{detail.get('why', 'Halted.')} {_number(detail.get('remaining', 0))} remaining."


def _advanced(actor: str, detail: Mapping[str, Any]) -> str:
    stage = min(max(int(detail.get("stage", 1)), 1), len(_STAGES))
    counts = (
        f"{_number(detail.get('stayed', 0))} stayed away, {_number(detail.get('came_back', 0))} came back"
    )
    return f"canary passed {_STAGES[stage - 1]}: {counts}"


_CONTROLS = {
    "pause": _paused,
    "resume": _resumed,
    "approve": _approved,
    "refuse": _refused,
    "expire": _expired,
    "halt": _halted,
    "advance": _advanced,
}


def _page(kind: str, detail: Mapping[str, Any]) -> str:
    """What one commit of an operation did, and to which dead letters."""
    moved = detail.get("done", detail.get("tried"))
    counts = [] if moved is None else [f"{_number(moved)} {_PAST.get(kind, kind)}"]
    counts += [f"{_number(detail[name])} {name}" for name in ("skipped", "failed") if name in detail]
    first, last = detail["first"], detail["last"]
    range_ = f"dead letters {_number(first)} to {_number(last)}"
    return f"{', '.join(counts)} ({f'dead letter {_number(first)}' if first == last else range_})"


def _outcome(detail: Mapping[str, Any]) -> str:
    counts = [f"{_number(detail.get(name, 0))} {name}" for name in _ALWAYS]
    if remaining := detail.get("remaining"):
        counts.append(f"{_number(remaining)} left as they were")
    return ", ".join(counts)


def _export(detail: Mapping[str, Any]) -> str:
    names = {"csv": "CSV", "jsonl": "JSON Lines"}
    form = names.get(str(detail.get("format")), str(detail.get("format", "")))
    cut = "" if detail.get("completed", True) else ", cut off"
    return f"{_number(detail.get('rows', 0))} rows exported as {form}{cut}"


def _queue(action: str, detail: Mapping[str, Any]) -> str:
    """What was done to a queue."""
    if action == "purge":
        purged = f"{_number(detail.get('purged', 0))} messages purged"
        returned = detail.get("returned")
        return f"{purged}, {_number(returned)} revived dead letters wait again" if returned else purged
    if action == "change":
        changes = detail.get("changes", {}).items()
        return "; ".join(f"{_words(name)} {_value(old)} → {_value(new)}" for name, (old, new) in changes)
    if action == "create":
        given = ", ".join(f"{_words(name)} {_value(value)}" for name, value in detail.items())
        return f"made with {given or 'the defaults'}"
    if action == "drop":
        taken = detail.get("purged")
        return f"dropped, {_number(taken)} messages purged with it" if taken else "dropped, it was empty"
    return {"pause": "paused it", "resume": "let it go on"}.get(action, "")


def _words(name: str) -> str:
    return name.replace("_", " ")


def _value(value: Any) -> str:
    if value is None:
        return "none"
    return ("no", "yes")[value] if isinstance(value, bool) else _number(value)


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
