"""Pages and cards: what a group's dead letters have in common, and how payloads have changed."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from dlqconsole.console.access.guard import require_unlimited
from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.shown_filter import ShownFilter, list_url
from dlqconsole.contrib.insight import differing, nearest
from dlqconsole.contrib.insight import drift as finding
from dlqconsole.contrib.insight.common import Ground, ground_of
from dlqconsole.contrib.insight.models import PayloadChange, SuccessSample
from dlqconsole.contrib.insight.samples import keeping
from dlqconsole.contrib.insight.showing import TraitWords
from dlqconsole.contrib.insight.statistics.common_ground import FEWEST_FAILURES, FEWEST_SUCCESSES
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter, FailureGroup
from dlqconsole.features import Card
from dlqconsole.hosting.wording import gettext_lazy

DAYS, MOST = 30, 200
# the time that a part is compared with, beside the filter
_SPAN = ("from", "to")
type Row = dict[str, Any]
_AFTER = {
    "text": "text",
    "number": gettext_lazy("a number"),
    "boolean": gettext_lazy("true or false"),
    "null": "null",
    "list": gettext_lazy("a list"),
    "object": gettext_lazy("an object"),
}


@viewer_required
@require_safe
def drift(request: HttpRequest) -> HttpResponse:
    """The changes of the last thirty days, and the samples behind them."""
    require_unlimited()
    context = {
        "changes": change_rows(finding.newest(DAYS, MOST)),
        "days": DAYS,
        "samples": keeping.count_samples(),
        "looked_until": finding.looked_until(),
        "left_out": finding.left_out(),
    }
    return page(request, "insight/drift.html", context)


@viewer_required
@require_safe
def common_ground(request: HttpRequest, group_id: int) -> HttpResponse:
    """The values that its dead letters have in common, for the group's page or as a page of its own."""
    group = FailureGroup.objects.filter(pk=group_id).first()
    if group is None:
        raise Http404(_("There is no group {group_id}.").format(group_id=group_id))
    if not all(group_figures.visibility(group_id)):
        raise Http404(_("Some of this group lies outside your scope; this speaks of all of it."))
    context = common_context(group_id, ground_of(group_id)) | {"record": group}
    return page(request, "insight/common_ground.html", context, part="insight/common_ground_table.html")


@viewer_required
@require_safe
def differs(request: HttpRequest) -> HttpResponse:
    """The page of the differences between the part of a time that somebody chose and the rest of it."""
    part = ShownFilter.read(request.GET, request, beside=_SPAN)
    problems, differences = list(part.errors), None
    if not problems and not (part.criteria.since and part.criteria.until):
        problems.append(_("Say since when and until when: that is the part to compare with the rest."))
    if not problems:
        try:
            differences = differing.difference(part.criteria, _whole(request, part.criteria))
        except InvalidFilter as error:
            problems = error.problems
    context = {"part": part, "problems": problems, "difference": differences, **_differing_rows(differences)}
    return page(request, "insight/differs.html", context)


def _whole(request: HttpRequest, part: DeadLetterFilter) -> DeadLetterFilter:
    """The time that the part lies in; without one, all up to now."""
    span = {"since": request.GET.get("from", ""), "until": request.GET.get("to", "")}
    return part.without("since").without("until").also(DeadLetterFilter.parse(span))


def _differing_rows(found: differing.Difference | None) -> Row:
    if found is None:
        return {}
    titles = group_figures.titles(differing.group_numbers(found.found))
    return {
        "findings": [_differing_row(trait, titles) for trait in found.found],
        "fewest": (FEWEST_FAILURES, FEWEST_SUCCESSES),
    }


def _differing_row(trait: TraitWords, titles: Mapping[int, str]) -> Row:
    number = trait.says.removeprefix("is ") if trait.path == "group" else ""
    return _trait_row(trait) | {
        "says": titles.get(int(number), trait.says) if number.removeprefix("-").isdigit() else trait.says,
        "url": list_url(trait.filter) if trait.filter else "",
    }


def on_chart(request: HttpRequest, chart: Mapping[str, Any], within: Mapping[str, Any]) -> Card:
    """The choice of a part of a chart, to be compared with the rest."""
    bars = chart["bars"]
    return Card("insight/brush.html", {"bars": bars, "first": bars[0], "last": bars[-1], "within": within})


@viewer_required
@require_safe
def nearest_success(request: HttpRequest, letter_id: int) -> HttpResponse:
    """The most similar payload that passed, for the dead letter's page or as a page of its own."""
    if current_access().is_limited:
        raise Http404(_("Samples are for who sees everything, and your scope is limited."))
    if not DeadLetter.objects.filter(pk=letter_id).exists():
        raise Http404(_("There is no dead letter {letter_id}.").format(letter_id=letter_id))
    context = {"letter_id": letter_id, "nearest": nearest.nearest_success(letter_id)}
    return page(request, "insight/nearest.html", context, part="insight/nearest_table.html")


def on_dead_letter(request: HttpRequest, letter: DeadLetter) -> Card | None:
    """The place of its nearest success, where there is anything to compare with."""
    if current_access().is_limited or not SuccessSample.objects.filter(event_type=letter.event_type).exists():
        return None
    return Card("insight/nearest_link.html", {"letter_id": letter.pk})


def on_group(request: HttpRequest, group_id: int, figures: Mapping[str, Any]) -> Card:
    """First dominoes; the common ground, and what changed shortly before it began, for who sees all of it."""
    if not figures["is_whole"]:
        return Card("insight/dominoes_link.html", {"group_id": group_id})
    began = figures["first_seen"]
    changes = finding.shortly_before(figures["event_type"], began) if began else ()
    return Card("insight/group.html", {"group_id": group_id, "changes": change_rows(changes)})


def on_reports(request: HttpRequest) -> Card | None:
    """The way to the changes in payloads, which are for who sees everything."""
    return None if current_access().is_limited else Card("insight/reports.html", {})


def common_context(group_id: int, ground: Ground) -> Row:
    """The compared payloads, and the findings as rows."""
    return {
        "ground": ground,
        "why_none": _why_none(ground),
        "findings": [_finding_row(group_id, finding) for finding in ground.found],
    }


def _finding_row(group_id: int, finding: TraitWords) -> Row:
    url = list_url(f"group={group_id}&{finding.filter}") if finding.filter else ""
    return _trait_row(finding) | {"url": url}


def _trait_row(finding: TraitWords) -> Row:
    return {
        "path": finding.path,
        "says": finding.says,
        "failures": finding.failures,
        "share": _share(finding.share),
        "usual": _share(finding.usual_share) if finding.successes else "none",
        "lift": _times(finding),
    }


def _share(share: float) -> str:
    """33 %, and a small share not as 0 %."""
    if 0 < share < 0.001:
        return "< 0.1 %"
    return f"{share * 100:.1f} %" if share < 0.1 else f"{share * 100:.0f} %"


def _times(finding: TraitWords) -> str:
    """Its frequency as a multiple; ``>`` if no success has it, which is all that the samples can tell."""
    words = f"{finding.lift:.1f}" if finding.lift < 10 else f"{finding.lift:,.0f}"
    return words if finding.successes else f"> {words}"


def _why_none(ground: Ground) -> str:
    """The reason why there are no findings; empty if there are some."""
    if ground.found:
        return ""
    if ground.too_slow:
        return _("Reading them took too long just now. Look again later.")
    if ground.failures < FEWEST_FAILURES:
        return _(
            "{failures} of them can be read, which is too few to compare: it takes {fewest_failures}."
        ).format(failures=ground.failures, fewest_failures=FEWEST_FAILURES)
    if ground.successes < FEWEST_SUCCESSES:
        return _(
            "Of {event_type}, {successes} successes are kept as samples; it takes"
            " {fewest_successes} to compare with."
        ).format(event_type=ground.event_type, successes=ground.successes, fewest_successes=FEWEST_SUCCESSES)
    return _("Nothing stands out: these payloads look like those that succeed.")


def change_rows(changes: Iterable[PayloadChange]) -> list[dict[str, Any]]:
    """Each change in words, with its evidence."""
    return [_change_row(change) for change in changes]


def _change_row(change: PayloadChange) -> dict[str, Any]:
    return {
        "event_type": change.event_type,
        "path": change.path,
        "says": _words(change),
        "hour": change.hour,
        "kind": change.kind,
        "before": _percent(change.share_before),
        "after": _percent(change.share_after),
        "payloads": change.payloads,
        "payloads_before": change.payloads_before,
        "url": list_url(urlencode({"type": change.event_type, "since": f"{change.hour:%Y-%m-%dT%H:%M}"})),
    }


def _words(change: PayloadChange) -> str:
    if change.kind != "became":
        return "appeared" if change.kind == "appeared" else "vanished"
    before, after = (_AFTER.get(kind, kind) for kind in (change.before, change.after))
    return _("became {after}; it was {before}").format(after=after, before=before)


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
