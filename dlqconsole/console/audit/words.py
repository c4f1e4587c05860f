"""An audit entry in words: no person sees a key of its detail."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dlqconsole.console.audit.accounts import sign_in_words
from dlqconsole.console.audit.subjects import number, subject_words
from dlqconsole.core.flow.judging import rate_words
from dlqconsole.engine.models import AuditEntry
from dlqconsole.hosting.stored_text import stored_text
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.operations import kinds
from dlqconsole.people.names import named
from dlqconsole.processing.formats import FORMATS

_STAGES = (gettext_lazy("the probes"), "1 %", "10 %")
_ALWAYS = {
    "done": gettext_lazy("{number} done"),
    "skipped": gettext_lazy("{number} skipped"),
    "failed": gettext_lazy("{number} failed"),
}
_ENDS = {"completed": gettext_lazy("completed"), "cancelled": gettext_lazy("cancelled")}


def sentence(entry: AuditEntry) -> str:
    """``575 revived, 0 skipped (dead letters 2,844 to 66,997)``."""
    detail: Mapping[str, Any] = entry.detail
    for words_of in (subject_words, sign_in_words):
        if words := words_of(entry.target, entry.action, detail):
            return words
    actor = named(entry.actor)
    verb, _space, kind = entry.action.partition(" ")
    if verb == "request" and kind:
        return _("asked for by {actor}, {expected} expected").format(
            actor=actor, expected=number(detail.get("expected"))
        )
    if entry.action in ("completed", "cancelled"):
        return _("{ended}: {counts}").format(ended=_ENDS[entry.action], counts=_outcome(detail))
    if entry.action == "cancel":
        return _("{actor} asked to stop: {detail}").format(actor=actor, detail=_outcome(detail))
    if entry.action in _CONTROLS:
        return _CONTROLS[entry.action](actor, detail)
    if entry.action == "delete items":
        days = int(detail.get("after_days", 0))
        return ngettext(
            "what became of each of {items} items was let go of, after {days:,} day",
            "what became of each of {items} items was let go of, after {days:,} days",
            days,
        ).format(items=number(detail.get("items", 0)), days=days)
    if entry.action == "search":
        parts = (f"{name} {text}" for name, text in sorted(dict(detail.get("filter", {})).items()))
        return _("{actor} searched values: {names}").format(actor=actor, names=_(", ").join(parts))
    if entry.action == "export" and "first" not in detail:
        return _export(detail)
    return _page(entry.action, detail) if "first" in detail else f"{entry.action} by {actor}"


def _pause(actor: str, detail: Mapping[str, Any]) -> str:
    return _("paused by {actor}, {remaining} remaining").format(
        actor=actor, remaining=number(detail.get("remaining", 0))
    )


def _resumption(actor: str, detail: Mapping[str, Any]) -> str:
    if detail.get("was") != "halted":
        return _("resumed by {actor}").format(actor=actor)
    return _("{actor} went on with all {remaining}, without the canary that halted it").format(
        actor=actor, remaining=number(detail.get("remaining", 0))
    )


def _approval(actor: str, detail: Mapping[str, Any]) -> str:
    return _("approved by {actor}: {selected}, as listed").format(
        actor=actor, selected=number(detail.get("selected", 0))
    )


def _refusal(actor: str, detail: Mapping[str, Any]) -> str:
    return _("refused by {actor}: nothing was done").format(actor=actor)


def _expiry(actor: str, detail: Mapping[str, Any]) -> str:
    return _("nobody approved it in time: nothing was done")


_FATES = {
    "succeeded": gettext_lazy("{number} succeeded"),
    "failed_again": gettext_lazy("{number} failed again"),
    "under_way": gettext_lazy("{number} under way"),
    "remaining": gettext_lazy("{number} remaining"),
}


def _halt(actor: str, detail: Mapping[str, Any]) -> str:
    return _("{why} By then: {counts}.").format(
        why=stored_text(detail.get("why", _("Halted."))), counts=_numbers(detail, *_FATES)
    )


def _numbers(detail: Mapping[str, Any], *fates: str) -> str:
    return _(", ").join(_FATES[fate].format(number=number(detail.get(fate, 0))) for fate in fates)


def _advance(actor: str, detail: Mapping[str, Any]) -> str:
    stage = min(max(int(detail.get("stage", 1)), 1), len(_STAGES))
    counts = _numbers(detail, "succeeded", "failed_again")
    return _("canary passed {stage}: {counts}").format(stage=_STAGES[stage - 1], counts=counts)


def _probe(actor: str, detail: Mapping[str, Any]) -> str:
    return _("{actor} began the canary anew, with {remaining} remaining").format(
        actor=actor, remaining=number(detail.get("remaining", 0))
    )


def _slowdown(actor: str, detail: Mapping[str, Any]) -> str:
    rate = translated(rate_words(float(detail.get("rate", 0))))
    of_type = f" ({event_type})" if (event_type := detail.get("event_type")) else ""
    return _("slowed by itself to {rate}: {why}{of_type}").format(
        rate=rate, why=stored_text(detail.get("why", "")), of_type=of_type
    )


def _full_speed(actor: str, detail: Mapping[str, Any]) -> str:
    return _("{actor} chose to ignore automatic slowing").format(actor=actor)


def _file_download(actor: str, detail: Mapping[str, Any]) -> str:
    words = _("{actor} took its file: {rows} rows, unmasked")
    if detail.get("masked"):
        words = _("{actor} took its file: {rows} rows, masked")
    return words.format(actor=actor, rows=number(detail.get("rows", 0)))


def _receipt_download(actor: str, detail: Mapping[str, Any]) -> str:
    return _("{actor} took its items as CSV").format(actor=actor)


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
    "probe": _probe,
    "slow": _slowdown,
    "full speed": _full_speed,
}

# by the noun of the items
_ONES = {
    "dead letter": gettext_lazy("dead letter {first}"),
    "message": gettext_lazy("message {first}"),
}
_RANGES = {
    "dead letter": gettext_lazy("dead letters {first} to {last}"),
    "message": gettext_lazy("messages {first} to {last}"),
}


def _page(kind: str, detail: Mapping[str, Any]) -> str:
    """The result of one commit of an operation, and the dead letters or messages of it."""
    noun = kinds.shown(kind).items.noun
    count = _("{number} {word}")
    counts = []
    if "done" in detail:
        counts.append(count.format(number=number(detail["done"]), word=kinds.shown(kind).past))
    if not counts and (number_begun := detail.get("begun")):
        counts.append(_("{number} handed to their handlers").format(number=number(number_begun)))
    words = {"skipped": _("skipped"), "failed": kinds.shown(kind).failing}
    counts += [
        count.format(number=number(detail[name]), word=word) for name, word in words.items() if name in detail
    ]
    first, last = detail["first"], detail["last"]
    where = _RANGES[noun] if first != last else _ONES[noun]
    pages = detail.get("pages", 1)
    parts = [where.format(first=number(first), last=number(last))]
    if pages > 1:
        parts.append(_("{number} pages").format(number=number(pages)))
    return _("{counts} ({parts})").format(counts=_(", ").join(counts), parts=_(", ").join(parts))


def _outcome(detail: Mapping[str, Any]) -> str:
    counts = [words.format(number=number(detail.get(name, 0))) for name, words in _ALWAYS.items()]
    if remaining := detail.get("remaining"):
        counts.append(_("{number} left as they were").format(number=number(remaining)))
    return _(", ").join(counts)


def _export(detail: Mapping[str, Any]) -> str:
    name = str(detail.get("format", ""))
    form = FORMATS[name].label if name in FORMATS else name
    words = _("{rows} rows exported as {format}")
    if not detail.get("completed", True):
        words = _("{rows} rows exported as {format}, cut off")
    return words.format(rows=number(detail.get("rows", 0)), format=form)
