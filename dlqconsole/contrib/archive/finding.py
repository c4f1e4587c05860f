"""Search the archive's files by the filter of the list of dead letters.

The database selects the files: by day, type, queue, status, number, and by a Bloom filter of sources and
source keys. Only the columns that the filter needs are read. A viewer searches masked texts.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dlqconsole.contrib.archive import folder
from dlqconsole.contrib.archive.folder import ArchiveRefused
from dlqconsole.contrib.archive.job import parquet, searching
from dlqconsole.contrib.archive.job.layout import within
from dlqconsole.contrib.archive.job.searching import RowFilter, scan
from dlqconsole.contrib.archive.letters import Archived, find_seen
from dlqconsole.contrib.archive.sql import sql
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.dead_letters.searching import contains
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.processing.inputs.numbers import as_id

KNOWN = ("type", "status", "queue", "category", "group", "source", "since", "until", "reason", "q")
_COLUMNS = {"type": "event_type", "status": "status", "category": "error_category", "group": "group_id"}
_REASON: tuple[str, ...] = ("error_reason",)
_ANYTHING: tuple[str, ...] = ("event_type", "source", "source_key", "error_reason", "payload")
_TEXTS = ("status", "error_category", "event_type", "queue", "source", "source_key", "error_reason")
_NOT_SEARCHED = gettext_lazy(
    "The archive is not searched by “{label}”: only by number, text, type, status,"
    " queue, category, group, source, reason and dates."
)


@dataclass(slots=True)
class ArchiveMatches:
    """The matching rows by column, the newest day first. ``is_more``: there are more than the limit.

    ``files_searched`` of the ``files`` that may hold matches were searched; ``unread``: a sentence for each
    file that could not be read.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    is_more: bool = False
    files_searched: int = 0
    files: int = 0
    unread: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Tell whether there are no other matches."""
        return self.files_searched == self.files and not self.is_more and not self.unread

    def words(self) -> str:
        """``3 archived dead letters match``; "at least 3" where the search did not end."""
        number = len(self.rows)
        if self.is_whole:
            all_of_them = ngettext(
                "{number:,} archived dead letter matches", "{number:,} archived dead letters match", number
            )
            return all_of_them.format(number=number)
        least = ngettext(
            "at least {number:,} archived dead letter matches",
            "at least {number:,} archived dead letters match",
            number,
        )
        return least.format(number=number)


def find(matching: DeadLetterFilter, *, limit: int, seconds: float | None = None) -> ArchiveMatches:
    """Return up to ``limit`` matches within the scope. The search stops after ``seconds``; None: no end.

    Raises ArchiveRefused for a filter that the archive does not support, and without pyarrow.
    """
    if refusals := [label or name for name, label, _value in matching.labels() if name not in KNOWN]:
        raise ArchiveRefused(_NOT_SEARCHED.format(label=refusals[0]))
    until = None if seconds is None else time.monotonic() + seconds
    files = _files(matching)
    matches = ArchiveMatches(files=len(files))
    if files:
        _require_pyarrow()
        if problem := folder.problem():
            matches.unread.append(f"{problem}.")
            return matches
    for file in files:
        if (until is not None and time.monotonic() > until) or matches.is_more:
            break
        _search_file(file, matching, matches, limit, until)
    return matches


def _search_file(
    file: dict[str, Any], matching: DeadLetterFilter, matches: ArchiveMatches, limit: int, until: float | None
) -> None:
    """Search one file. It counts as ``files_searched`` only where the whole file was searched."""
    try:
        for row in _rows(file, matching):
            if row is not None:
                matches.is_more = len(matches.rows) >= limit
                if matches.is_more:
                    return
                matches.rows.append(row | {"file_id": file["id"]})
            if until is not None and time.monotonic() > until:
                return
    except PipelineProblem as problem:
        matches.unread.append(f"{problem}.")
    matches.files_searched += 1


def _rows(file: dict[str, Any], matching: DeadLetterFilter) -> Iterator[dict[str, Any] | None]:
    """Yield each row of a file that matches, and None for each that does not."""
    path = within(settings.DLQ_ARCHIVE_DIR, file["path"])
    parquet.check_size(path, file["bytes"])
    for row in scan(path, _scan_condition(matching)):
        sees = current_access().sees(row["queue"] or row["event_type"], row["event_type"])
        yield row if sees and _matches(row, matching) else None


def _files(matching: DeadLetterFilter) -> list[dict[str, Any]]:
    access = current_access()
    text = matching.q
    query = sql("archived.to_search").format(
        scope=access.columns("c.queue", "f.event_type"),
        source=_may_hold("of_source"),
        text=_may_hold("of_text") if text else "NULL",
    )
    values = {
        **{name: getattr(matching, name) for name in ("type", "status", "queue")},
        "since": matching.since and matching.since.date(),
        # an end at midnight belongs to the day before
        "until": matching.until and (matching.until - timedelta(microseconds=1)).date(),
        "number": as_id(text) if text else None,
        "of_source": searching.probes(matching.source) if matching.source else [],
        "of_text": searching.probes(text) if text else [],
    }
    return fetch_dicts(query, values | access.values())


def _may_hold(probes: str) -> str:
    return sql("archived.may_hold").format(probes=probes)


def _scan_condition(matching: DeadLetterFilter) -> RowFilter:
    """The condition for the file itself: it compares texts as they are stored, unmasked."""
    equal = {column: value for name, column in _COLUMNS.items() if (value := getattr(matching, name))}
    if matching.source:
        equal["source"] = matching.source
    text, columns = matching.reason, _REASON
    if matching.q:
        text, columns = matching.q, _ANYTHING
    return RowFilter(
        equal,
        matching.queue,
        matching.since,
        matching.until,
        text,
        as_id(text) if matching.q else None,
        columns if text else (),
    )


def _matches(row: dict[str, Any], matching: DeadLetterFilter) -> bool:
    """Tell whether the row's texts match, as far as who asks may search them."""
    reason = row["error_reason"] or ""
    if matching.reason and not contains(matching.reason, reason):
        return False
    if not matching.q or row["id"] == as_id(matching.q) or row["source_key"] == matching.q:
        return True
    texts = [row["event_type"], row["source_key"] or "", row["source"] or "", reason]
    values = [row["payload"] or ""] if current_access().searches_values else []
    return any(contains(matching.q, text) for text in texts + values)


def _require_pyarrow() -> None:
    try:
        parquet.require_pyarrow()
    except PipelineProblem as problem:
        raise ArchiveRefused(_("The archive cannot be searched: pyarrow is not installed here.")) from problem


def find_numbered(numbers: Iterable[int]) -> tuple[ArchiveMatches, list[int]]:
    """Return the archived dead letters within the scope, and the numbers that the archive does not have."""
    matches, absent = ArchiveMatches(), list[int]()
    for number in dict.fromkeys(numbers):
        try:
            letter = find_seen(number)
        except ArchiveRefused as refusal:
            matches.unread.append(str(refusal))
            continue
        if letter is None:
            absent.append(number)
        else:
            matches.rows.append(_row(letter))
    return matches, absent


def _row(letter: Archived) -> dict[str, Any]:
    texts = {name: letter.text(name) for name in _TEXTS}
    return texts | {"id": letter.id, "created_at": letter.moment("created_at"), "file_id": letter.file.pk}
