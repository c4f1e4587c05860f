"""The parts that the archive adds to the overview and to the list of dead letters."""

from django.http import HttpRequest
from django.urls import reverse

from dlqconsole.console.parts.shown_filter import ShownFilter
from dlqconsole.contrib.archive import finding, folder
from dlqconsole.contrib.archive.counting import by_status
from dlqconsole.contrib.archive.errors import ArchiveRefused
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.gate import Shown
from dlqconsole.features import Card

# the most archived dead letters to count if the list has none, and the seconds for it
MOST, SECONDS = 99, 0.7


def on_overview(request: HttpRequest) -> Card:
    """The number of archived dead letters, and what is wrong with the archive's folder."""
    problem = "" if current_access().is_limited else folder.problem()
    action = {"text": f"{problem[:1].upper()}{problem[1:]}", "url": reverse("dlq:archive"), "tone": "danger"}
    context = {"archived": sum(by_status().values())}
    return Card("archive/count.html", context, [action] if problem else [])


def on_list(request: HttpRequest, search: ShownFilter) -> Card | None:
    """The number of matches in the archive, if the archive can count by this filter."""
    parameters = search.criteria.canonical()
    if search.errors or parameters.keys() - {"status", "type", "queue"}:
        return None
    counts = by_status(parameters.get("type", ""), parameters.get("queue", ""))
    number = counts.get(parameters["status"], 0) if "status" in parameters else sum(counts.values())
    return Card("archive/count.html", {"archived": number})


def on_empty_list(request: HttpRequest, search: ShownFilter) -> Card | None:
    """The archive's matches for a filter without any in the list, within a short time."""
    if search.errors or not search.active or "cursor" in request.GET:
        return None
    try:
        result = finding.find(search.criteria, limit=MOST, seconds=SECONDS)
    except ArchiveRefused:
        return None
    if result.is_whole and not result.rows:
        return None
    url = Shown(reverse("dlq:archive") + f"?{search.querystring}")
    words = result.words() if result.rows else ""
    return Card("archive/elsewhere.html", {"words": words, "many": len(result.rows) > 1, "url": url})
