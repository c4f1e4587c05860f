"""Tags and filters of the console's templates: ages, numbers, badges, icons, sparklines."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from typing import Any

from django import template
from django.http import HttpRequest
from django.template import Context
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, pgettext_lazy
from django.utils.translation import gettext as _

from dlqconsole import __version__
from dlqconsole.configuration.program import PROGRAM
from dlqconsole.console.parts.sorting import Heading
from dlqconsole.console.parts.visitors import Visitors
from dlqconsole.core.lifecycle.states import Category, DeadLetterStatus, MessageStatus
from dlqconsole.engine import moments
from dlqconsole.engine.gate import Shown, shown, shown_json
from dlqconsole.hosting.languages import offered
from dlqconsole.hosting.stored_text import stored_text
from dlqconsole.hosting.wording import translated
from dlqconsole.operations import kinds
from dlqconsole.operations.models import HANDED_OVER, STATUS_LABELS, WRITING
from dlqconsole.people.names import named
from dlqconsole.processing import exact_json, texts

register = template.Library()

# the difference between the clocks of two machines that keep time well
_CLOCK_SKEW = timedelta(minutes=1)


@register.filter
def age(value: Any) -> str | SafeString:
    """``3 h ago`` with the exact time in its title; a number of seconds as a duration."""
    if value is None or value == "":
        return "—"
    if isinstance(value, datetime):
        return _ago(value)
    if isinstance(value, timedelta):
        value = value.total_seconds()
    return moments.duration(float(value)) if isinstance(value, (int, float)) else str(value)


@register.filter
def happened(value: Any) -> str | SafeString:
    """The age of a past event, whatever clock wrote it: no failure happens ``in 3 h``."""
    if isinstance(value, datetime) and (ahead := value - timezone.now()) > timedelta(0):
        return _moment(
            value,
            _("{age} ago").format(age=moments.duration(0))
            if ahead < _CLOCK_SKEW
            else f"{timezone.localtime(value):%Y-%m-%d}",
        )
    return age(value)


def _ago(moment: datetime) -> SafeString:
    if timezone.is_naive(moment):  # ShedLock's columns have no zone and mean UTC
        moment = timezone.make_aware(moment, timezone.get_default_timezone())
    seconds = (timezone.now() - moment).total_seconds()
    words = _("{age} ago") if seconds >= 0 else _("in {age}")
    return _moment(moment, words.format(age=moments.duration(abs(seconds))))


def _moment(at: datetime, words: str) -> SafeString:
    return format_html('<time datetime="{}" title="{}">{}</time>', at.isoformat(), _exact(at), words)


def _exact(at: datetime) -> str:
    """By the viewer's clock, and in UTC where that is another one."""
    here = moments.moment(at)
    return here if here.endswith(" UTC") else f"{here} ({at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC)"


@register.filter
def moment(at: datetime, form: str = moments.MINUTES) -> SafeString:
    """``2026-11-22 18:03 UTC+1`` by the viewer's clock, with UTC in its title."""
    return _moment(at, moments.moment(at, form))


@register.simple_tag
def zone() -> str:
    """The viewer's clock: ``UTC``, or ``Europe/Berlin (UTC+1)``."""
    name = timezone.get_current_timezone_name()
    return "UTC" if name == "UTC" else f"{name} ({moments.offset(timezone.localtime())})"


@register.filter
def thousands(value: Any) -> str:
    """1234567 as 1,234,567; other values as they are."""
    if not isinstance(value, (int, float)):
        return "" if value is None else str(value)
    return f"{value:,}"


@register.filter
def times(value: int) -> str:
    """``never``, ``once``, ``3 times``."""
    words = (_("never"), _("once"))
    return words[value] if value in (0, 1) else _("{number:,} times").format(number=value)


@register.filter("translated")
def in_language(word: Any) -> str:
    """A word of ours, such as a role, in the person's language; any other as it is."""
    return _(translated(word)) if word else ""


@register.filter("stored_text")
def stored_sentence(text: Any) -> str:
    """A sentence that is stored in English, such as why an item was skipped, in the person's language."""
    return Shown(stored_text(shown(_text(text))))


@register.filter
def pretty(text: Any) -> str:
    """JSON text set out for reading, with its numbers unchanged; other values are written as JSON first."""
    if not isinstance(text, str):
        text = "" if text is None else json.dumps(text, ensure_ascii=False, default=str)
    return Shown(exact_json.pretty(shown_json(text)))


@register.simple_tag
@cache
def icon(name: str) -> SafeString:
    """An icon of static/console/icons.svg; decoration only. A page has sixty, each with the same address."""
    return format_html(
        '<svg class="icon" aria-hidden="true" width="16" height="16"><use href="{}#{}"></use></svg>',
        static("dlqconsole/console/icons.svg"),
        name,
    )


@register.inclusion_tag("console/parts/sort_heading.html", takes_context=True)
def sort_heading(
    context: Context, name: str, label: str, css: str = "", title: str = "", target: str = ""
) -> dict[str, Any]:
    """A heading of a table: a link if the page's ``headings`` have it. ``target``: what htmx replaces."""
    links: dict[str, Heading] = context.get("headings") or {}
    link = links.get(name)
    where = {"url": link.url, "direction": link.direction} if link else {"url": "", "direction": ""}
    return {"label": label, "css": css, "title": title, "target": target} | where


@register.simple_tag(takes_context=True)
def visitors(context: Mapping[str, Any]) -> Visitors:
    """Note that this person has the page open, and name the others who have."""
    return Visitors.of(context["request"])


@register.simple_tag
def version() -> str:
    """The version of the console."""
    return __version__


@register.simple_tag
def languages() -> dict[str, str]:
    """The languages that a person may choose, by code."""
    return offered()


@register.simple_tag(takes_context=True)
def way_back(context: Mapping[str, Any]) -> str:
    """The address of this page; of the one before it, if this answers a form."""
    request: HttpRequest = context["request"]
    return request.get_full_path() if request.method == "GET" else request.headers.get("Referer", "")


@register.simple_tag
def program() -> str:
    """The program that runs our commands."""
    return PROGRAM


@register.simple_tag
def kind_label(kind: Any) -> str:
    """The name of a kind of operation on buttons and in titles."""
    return kinds.shown(str(kind)).label


@register.simple_tag
def kind_icon(kind: Any) -> str:
    """The icon of a kind of operation; nothing without a kind."""
    return icon(kinds.shown(str(kind)).icon) if kind else ""


# The icons of statuses that have none of their own name.
_ICONS = {
    "freezing": "pending",
    "asked": "pending",
    "awaiting": "user",
    "paused": "pause",
    "halted": "warning",
    "running": "retrying",
    "cancelling": "stop",
    "cancelled": "stop",
    "completed": "succeeded",
    "done": "succeeded",
    "silent": "warning",
    HANDED_OVER: "retrying",
    WRITING: "pending",
    "failed_again": "failed",
    "under_way": "retrying",
    "pulled_back": "restore",
    "gone": "trash",
}
_LABELS: dict[str, Any] = {
    **dict(DeadLetterStatus.choices()),
    **dict(MessageStatus.choices()),
    "asked": pgettext_lazy("state", "Asked"),
    "silent": pgettext_lazy("state", "Silent"),
    "open": pgettext_lazy("state", "Open"),
    "closed": pgettext_lazy("state", "Closed"),
    "half-open": pgettext_lazy("state", "Half-open"),
    "resolved": pgettext_lazy("state", "Resolved"),
    "snoozed": pgettext_lazy("state", "Snoozed"),
    "regressed": pgettext_lazy("state", "Regressed"),
    "active": pgettext_lazy("state", "Active"),
    "expired": pgettext_lazy("state", "Expired"),
    "revoked": pgettext_lazy("state", "Revoked"),
    **STATUS_LABELS,
}


@register.simple_tag
def status_badge(status: Any) -> SafeString:
    """A status as an icon and a word; the colour only repeats what they say."""
    return _named_badge("status", str(getattr(status, "value", status) or ""), get_language())


@register.simple_tag
def fate_badge(fate: Any, kind: Any) -> SafeString:
    """The fate of an item of an operation, in the words of its kind."""
    return _badge("status", str(fate), kinds.shown(str(kind)).fate_label(fate))


@register.simple_tag
def category_badge(category: Any) -> SafeString:
    """An error category, quieter than a status."""
    return _named_badge("category", str(category or ""), get_language())


@lru_cache(maxsize=256)
def _named_badge(kind: str, value: str, language: str | None) -> SafeString:
    """A badge from the cache: a page of the list has a hundred, of a dozen values. ``language``: its own."""
    label = (_LABELS if kind == "status" else dict(Category.choices())).get(value)
    return _badge(kind, value, label and translated(label))


@register.simple_tag
def fate_icon(fate: Any) -> SafeString:
    """The icon of what became of an item."""
    return icon(_ICONS.get(str(fate), str(fate)))


def _badge(kind: str, value: str, label: Any) -> SafeString:
    name = value.lower()
    return format_html(
        '<span class="{} {}-{}">{}{}</span>',
        kind,
        kind,
        name,
        icon(_ICONS.get(name, name)),
        label or value.replace("_", " ").capitalize(),
    )


@register.filter
@register.simple_tag
def visible(text: Any) -> str:
    """Text with its hidden characters shown, such as ⟦U+202E⟧; a filter where a sentence takes it."""
    return Shown(texts.visible(shown(_text(text))))


@register.filter
def person(text: Any) -> str:
    """An actor, or a sentence with actors in it, with names in place of account numbers."""
    return Shown(texts.visible(named(shown(_text(text)))))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


@register.filter
def typed(value: Any) -> str:
    """A text that this person typed just now, or their name: shown to them unmasked, and to nobody else."""
    return Shown(_text(value))


@register.simple_tag
def sparkline(values: Sequence[int] | None, width: int = 96, height: int = 20) -> SafeString:
    """Bars for a handful of counts, drawn with presentation attributes only."""
    counts = [max(0, int(value)) for value in values or ()]
    if not counts:
        return SafeString("")
    top = max(counts) or 1
    step = width / len(counts)
    bars = "".join(
        f"M{number * step + step / 2:.1f} {height}V{height - max(1.0, count / top * (height - 1)):.1f}"
        for number, count in enumerate(counts)
        if count
    )
    label = _("{total:,} in {hours} hours, most in one hour: {most:,}").format(
        total=sum(counts), hours=len(counts), most=max(counts)
    )
    return format_html(
        '<svg class="sparkline" role="img" aria-label="{}" width="{}" height="{}" viewBox="0 0 {} {}">'
        '<path d="M0 {}H{}" stroke="currentColor" stroke-opacity="0.35"></path>'
        '<path d="{}" fill="none" stroke="currentColor" stroke-width="{}"></path></svg>',
        label, width, height, width, height, height - 0.5, width, bars, f"{max(1.0, step - 1):.1f}",
    )  # fmt: skip
