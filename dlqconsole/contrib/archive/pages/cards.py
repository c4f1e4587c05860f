"""The parts that the archive adds to other pages: cards, words of the audit log, figures and health."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from prometheus_client.core import GaugeMetricFamily, Metric

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.console.audit.subjects import Words, number
from dlqconsole.console.parts.shown_filter import ShownFilter
from dlqconsole.contrib.archive import finding, folder
from dlqconsole.contrib.archive.counting import by_status, figures, last_run
from dlqconsole.contrib.archive.folder import ArchiveRefused
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.gate import Shown
from dlqconsole.features import Card

# the most archived dead letters to count if the list has none, and the seconds for it
MOST, SECONDS = 99, 0.7
WRONG_FOLDER = (
    "the archive's folder is not there, or not this database's: nothing is archived,"
    f" restored or erased; mount it, or where it is the right one: {PROGRAM} archive adopt"
)


def on_overview(request: HttpRequest) -> Card:
    """The number of archived dead letters, and what is wrong with the archive's folder."""
    problem = "" if current_access().is_limited else folder.problem()
    action = {"text": f"{problem[:1].upper()}{problem[1:]}", "url": reverse("dlq:archive"), "tone": "danger"}
    context = {"archived": sum(by_status().values())}
    return Card("archive/count.html", context, [action] if problem else [])


def on_list(request: HttpRequest, search: ShownFilter) -> Card | None:
    """The number of matches in the archive, if the archive can count by this filter."""
    parameters = search.criteria.facets()
    if search.errors or search.criteria.rest or parameters.keys() - {"status", "type", "queue"}:
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


def _archiving(detail: Mapping[str, Any]) -> str:
    noun = str(detail.get("kind", "rows")).replace("_", " ")
    return _("{rows} {noun} written to {path}, verified, and deleted").format(
        rows=number(detail.get("rows", 0)), noun=noun, path=detail.get("path", "")
    )


def _file_expiry(detail: Mapping[str, Any]) -> str:
    noun = str(detail.get("kind", "rows")).replace("_", " ")
    return _("a file with {rows} {noun} was kept long enough, and went").format(
        rows=number(detail.get("rows", 0)), noun=noun
    )


WORDS: dict[str, Words] = {
    "archive_folder": {
        "adopt archive folder": lambda detail: _(
            "made {folder} the archive's folder; {missing} of {files} files are not there"
        ).format(
            folder=detail.get("folder", ""),
            missing=number(detail.get("missing")),
            files=number(detail.get("files")),
        ),
    },
    "archive_file": {"archive": _archiving, "expire": _file_expiry},
    "dead_letter": {
        "restore from archive": lambda detail: _("taken back from the archive, out of {path}").format(
            path=detail.get("path", "")
        ),
        "erase from archive": lambda detail: _("erased for ever from the archive, out of {path}").format(
            path=detail.get("path", "")
        ),
    },
}


def metrics() -> Iterator[Metric]:
    """The size of the archive, and whether its job fails. A job that never ran has no figure."""
    for name, words in (("files", "Files of the archive"), ("rows", "Rows in them"), ("bytes", "Their size")):
        family = GaugeMetricFamily(f"dlq_archive_{name}", words, labels=["kind"])
        for row in figures():
            family.add_metric([row.kind], getattr(row, name))
        yield family
    if last := last_run():
        is_failing = float(last["status"] == "failed")
        yield GaugeMetricFamily("dlq_archive_failing", "1 where its last run failed", value=is_failing)
        yield GaugeMetricFamily(
            "dlq_archive_last_run_seconds", "How long ago it began", value=last["seconds"]
        )


def check() -> Iterator[str]:
    if folder.problem():
        yield WRONG_FOLDER
    last = last_run()
    if last and last["status"] == "failed":
        yield "the archive's last run failed: nothing was deleted by it"
