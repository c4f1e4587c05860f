"""A dead letter's story, from its first failure to now: attempts, and between them the acts of people.

Equal attempts in a row are one entry; each entry shows its differences from the one before.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import TextField
from django.db.models.functions import MD5, Concat, Left, Length
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dlqconsole.console.dead_letters.history import SameEvent, history
from dlqconsole.console.masking.texts import ShownTexts
from dlqconsole.engine.models import Attempt, DeadLetter
from dlqconsole.hosting.wording import gettext_lazy

# characters: of one trace, of all traces of a page together, and of a reason
TRACE, TRACES, REASON = 20_000, 300_000, 4_000
# a story of more entries shows its beginning and its latest entries
WHOLE = 16
_WHERE = {
    "queue": gettext_lazy("on its queue"),
    "revive": gettext_lazy("revived, on its queue"),
    "schedule": gettext_lazy("by the schedule"),
    "scheduler": gettext_lazy("by another scheduler"),
    "operation": gettext_lazy("by an operation"),
    "replay": gettext_lazy("by a replay on Spark"),
    "crash": gettext_lazy("its worker stopped"),
    "reported": gettext_lazy("reported by another program"),
}
# in a sum, where "3" stands before it
_IN_SUMS = {"its worker stopped": gettext_lazy("when its worker stopped")}


@dataclass(slots=True)
class AttemptSeries:
    """Attempts in a row that ended the same way, from ``at`` to ``last``.

    ``seconds`` is the time of a single attempt, 0 for several. ``first``: the first failure is one of them.
    ``same_trace``: as the failure before; ``new_reason`` and ``new_category``: not as the failure before.
    """

    at: datetime
    last: datetime
    number: int
    where: str
    outcome: str
    category: str
    reason: str
    trace: str
    seconds: float
    workers: list[str] = field(default_factory=list)
    reopened_from: str = ""
    is_folded: bool = False
    is_cut: bool = False
    first: bool = False
    same_trace: bool = False
    new_reason: bool = False
    new_category: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    """Rows of ``at`` with a ``series`` or a person's act, oldest first; ``attempts``: all, folded ones too.

    ``failures``: their number and places: ``5 times: 3 on its queue, 2 by the schedule``.
    """

    rows: Sequence[Mapping[str, Any]]
    attempts: int
    failures: str

    @property
    def beginning(self) -> Sequence[Mapping[str, Any]]:
        return self.rows if len(self.rows) <= WHOLE else self.rows[:3]

    @property
    def between(self) -> Sequence[Mapping[str, Any]]:
        """The entries that a page folds at first."""
        return self.rows[3:-9] if len(self.rows) > WHOLE else ()

    @property
    def between_words(self) -> str:
        """The number of attempts in them, not of lines: ``72 attempts and 2 other entries``."""
        series = [row["series"] for row in self.between if "series" in row]
        tries = sum(entry.number for entry in series)
        others = len(self.between) - len(series)
        parts = [
            (tries, ngettext("{number:,} attempt", "{number:,} attempts", tries)),
            (others, ngettext("{number:,} other entry", "{number:,} other entries", others)),
        ]
        return _(" and ").join(words.format(number=number) for number, words in parts if number)

    @property
    def lately(self) -> Sequence[Mapping[str, Any]]:
        return self.rows[-9:] if len(self.rows) > WHOLE else ()


def story(letter: DeadLetter, texts: ShownTexts, same: SameEvent | None = None) -> Story:
    """The story of ``letter``, which must be as it is stored: before anything of it is masked."""
    series = _compare([*_reported_failure(letter), *_read_series(letter.pk)], texts)
    rows: list[dict[str, Any]] = [{"at": entry.at, "series": entry} for entry in series]
    if same and not same.own:
        rows.append(same.row())
    entries = sorted([*rows, *history(letter.pk, texts)], key=lambda row: row["at"])
    return Story(entries, sum(entry.number for entry in series), _failure_words(series))


def _failure_words(series: Sequence[AttemptSeries]) -> str:
    """The number of failures, and their places, each place once."""
    places: Counter[str] = Counter()
    for entry in series:
        if entry.outcome == "failed":
            places[str(_IN_SUMS.get(str(entry.where), entry.where))] += entry.number
    number = places.total()
    times = {0: _("never"), 1: _("once")}.get(number, _("{number:,} times").format(number=number))
    if len(places) < 2:
        return " ".join([times, *places])
    return f"{times}: " + ", ".join(f"{count:,} {place}" for place, count in places.items())


def _reported_failure(letter: DeadLetter) -> Iterator[AttemptSeries]:
    """The failure of the dead letter itself, if its reporter has written no attempt."""
    attempts = Attempt.objects.filter(
        dlq_event_id=letter.pk, outcome="failed", finished_at__gte=letter.last_failure_at
    ).exclude(kind__in=("crash", "folded"))
    if not attempts.exists():
        at = letter.last_failure_at
        category = letter.said_category or letter.error_category
        trace = letter.error_stacktrace
        reason = letter.error_reason[:REASON]
        is_cut = len(trace) > TRACE
        yield AttemptSeries(
            at, at, 1, _WHERE["reported"], "failed", category, reason, trace[:TRACE], 0.0, is_cut=is_cut
        )


def _read_series(letter_id: int) -> Iterator[AttemptSeries]:
    attempts = Attempt.objects.filter(dlq_event_id=letter_id)
    limit = max(1_000, min(TRACE, TRACES // max(attempts.count(), 1)))
    rows = (
        attempts.order_by("finished_at", "id")
        .annotate(
            digest=MD5(Concat("error_reason", "error_stacktrace", output_field=TextField())),
            reason=Left("error_reason", REASON),
            trace=Left("error_stacktrace", limit),
            length=Length("error_stacktrace"),
        )
        .values("kind", "worker", "started_at", "finished_at", "outcome", "error_category", "reopened_from",
                "stands_for", "digest", "reason", "trace", "length")
    )  # fmt: skip
    for _same, group in groupby(rows, itemgetter("kind", "outcome", "digest", "reopened_from")):
        yield _series_of([dict(row) for row in group], limit)


def _series_of(rows: Sequence[Mapping[str, Any]], limit: int) -> AttemptSeries:
    first, last = rows[0], rows[-1]
    several = len(rows) > 1 or first["stands_for"] > 1
    return AttemptSeries(
        at=first["finished_at"],
        last=last["finished_at"],
        number=sum(row["stands_for"] for row in rows),
        where=_WHERE.get(first["kind"], first["kind"]),
        outcome=first["outcome"],
        category=first["error_category"],
        reason=first["reason"],
        trace=first["trace"],
        seconds=0.0 if several else (last["finished_at"] - last["started_at"]).total_seconds(),
        workers=sorted({row["worker"] for row in rows if row["worker"]})[:3],
        reopened_from=first["reopened_from"],
        is_folded=first["kind"] == "folded",
        is_cut=first["length"] > limit,
    )


def _compare(entries: list[AttemptSeries], texts: ShownTexts) -> list[AttemptSeries]:
    """Sort the series, compare each failure with the one before it, and mask the texts at last."""
    entries.sort(key=lambda entry: entry.at)
    before: AttemptSeries | None = None
    for entry in entries:
        if entry.is_folded or entry.outcome != "failed":
            continue
        if before:
            entry.same_trace = bool(entry.trace) and entry.trace == before.trace
            entry.new_reason = entry.reason != before.reason
            entry.new_category = (
                bool(entry.category and before.category) and entry.category != before.category
            )
        entry.first = before is None
        before = entry
    for entry in entries:
        entry.reason = texts.cut(entry.reason, REASON)
        entry.trace = texts.cut(entry.trace, len(entry.trace) + (not entry.is_cut))
        entry.workers = [texts.text(worker) for worker in entry.workers]
    return entries
