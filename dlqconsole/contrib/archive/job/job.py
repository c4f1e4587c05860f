"""The archive job: what is closed and old goes into files by day and type; files kept long enough go."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from dlqconsole.contrib.archive.job import mark, orphan_files
from dlqconsole.contrib.archive.job.layout import ArchiveAway
from dlqconsole.contrib.archive.job.moving import ROWS, DayAndType, MoveResult, move
from dlqconsole.contrib.archive.job.parquet import require_pyarrow
from dlqconsole.contrib.archive.job.shapes import DEAD_LETTERS, RECORDS, ArchivedKind, TableShape
from dlqconsole.contrib.archive.job.sql import sql
from dlqconsole.contrib.archive.settings import FeatureSettings
from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.running.jobs import StopSignal
from dlqconsole.pipeline.running.runs import Run, record_run
from dlqconsole.pipeline.running.terminal import Terminal
from dlqconsole.pipeline.settings import Settings, read_environment
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.quantities import counted

NEVER = datetime(1900, 1, 1, tzinfo=UTC)
# attempts at a day and type whose rows change meanwhile
TRIES = 5
AT_WORK = stored("another archive job is at work: this one changed nothing")
ARCHIVED = stored("{rows_sentence} archived")
OUTLIVED = stored("{rows_sentence} outlived {days_sentence} and went")
NOTHING = stored("nothing is to be archived")


@dataclass(frozen=True, slots=True)
class Archiving:
    """The archive's folder, and the days until something goes there or leaves it; 0: never."""

    folder: Path
    after_days: int = 0
    records_after_days: int = 0
    keep_days: int = 0


def read_archiving() -> Archiving:
    """Read the environment, with that of a running demo. Raises BadRequest, a line for each mistake."""
    environment = read_environment()
    assert isinstance(environment, FeatureSettings)  # noqa: S101 - all settings have those of the features
    return Archiving(
        environment.DLQ_ARCHIVE_DIR,
        environment.DLQ_ARCHIVE_AFTER_DAYS,
        environment.DLQ_ARCHIVE_RECORDS_AFTER_DAYS,
        environment.DLQ_ARCHIVE_KEEP_DAYS,
    )


type Waiting = list[tuple[DayAndType, int]]


def archive(
    settings: Settings, archiving: Archiving, *, older_than: int | None = None, dry_run: bool = False
) -> int:
    """Archive what is older than so many days, or than the settings say. The exit status.

    ``dry_run``: say what would go, and change nothing.
    """
    terminal, stop = Terminal("archive"), StopSignal()
    lengths, folder = _lengths(archiving, older_than), archiving.folder
    if dry_run:
        with connect(settings.database_url, "archive") as connection:
            for line in (*_preview(connection, lengths), *_problems(connection, folder)):
                terminal.say(f"archive: {line}")
        return 0
    with (
        stop.listening(),
        _alone(settings, folder) as connection,
        record_run(settings, "archive", str(folder), "rows") as run,
    ):
        line = _Archiving(connection, folder, run, stop, terminal).work(lengths, archiving.keep_days)
        terminal.say(f"archive: {line}")
        run.finish("completed", line)
    return 0


@contextmanager
def _alone(settings: Settings, folder: Path) -> Iterator[psycopg.Connection]:
    """A connection that holds the lock of the archive. Raises PipelineProblem: another job has it.

    It is asked for before a run begins: that another one is at work is no failure of the archive.
    """
    with connect(settings.database_url, "archive") as connection:
        row = connection.execute(sql("archive.alone")).fetchone()
        if not (row and row[0]):
            if settings.adopted_run is not None:
                _turn_away(settings, folder)
            raise PipelineProblem(AT_WORK)
        yield connection


def _turn_away(settings: Settings, folder: Path) -> None:
    """End the run that somebody asked for, as one that was not needed."""
    with record_run(settings, "archive", str(folder), "rows") as run:
        run.finish("cancelled", AT_WORK)


def _lengths(archiving: Archiving, older_than: int | None) -> dict[ArchivedKind, int]:
    """Each kind that is archived at all, and after how many days."""
    after = archiving.after_days if older_than is None else older_than
    lengths = {DEAD_LETTERS: after, RECORDS: archiving.records_after_days}
    return {
        kind: days for kind, days in lengths.items() if days or (kind is DEAD_LETTERS and older_than == 0)
    }


def _preview(connection: psycopg.Connection, lengths: dict[ArchivedKind, int]) -> Iterator[str]:
    for kind, days in lengths.items():
        waiting = waiting_of(connection, kind, days)
        rows, spread = sum(count for _, count in waiting), len({place.day for place, _ in waiting})
        which = f"{counted(rows, kind.noun)} of {counted(spread, 'days')} {'is' if rows == 1 else 'are'}"
        yield f"{which} older than {counted(days, 'days')}; nothing was changed"
    if not lengths:
        yield "DLQ_ARCHIVE_AFTER_DAYS is 0: nothing is archived"


def _problems(connection: psycopg.Connection, folder: Path) -> list[str]:
    """Return why a run would not begin."""
    problem = mark.problem(mark.read_state(connection), folder)
    return [problem] if problem else []


def waiting_of(connection: psycopg.Connection, kind: ArchivedKind, days: int) -> Waiting:
    """Return the days and types that have something to archive, and how many rows."""
    rows = connection.execute(sql(f"archive.{kind.name}_days"), {"days": days}).fetchall()
    return [(DayAndType(day, event_type), count) for day, event_type, count in rows]


class _Archiving:
    """One run, alone in its folder and in the database."""

    def __init__(
        self, connection: psycopg.Connection, folder: Path, run: Run, stop: StopSignal, terminal: Terminal
    ) -> None:
        self._connection, self._folder, self._run = connection, folder, run
        self._stop, self._terminal = stop, terminal
        self._reruns = 0

    def work(self, lengths: dict[ArchivedKind, int], keep_days: int) -> str:
        """Do all of it; return one sentence about what was done."""
        self._prepare()
        paths = orphan_files.clear(self._connection, self._folder)
        for path in paths:
            self._terminal.say(f"archive: removed {path}, which a run before left behind")
        parts = [
            ARCHIVED.format(rows_sentence=counted(self._kind(kind, days), kind.noun))
            for kind, days in lengths.items()
        ]
        if rows := orphan_files.outlive(self._connection, self._folder, keep_days):
            days = counted(keep_days, "days")
            parts.append(OUTLIVED.format(rows_sentence=counted(rows, "rows"), days_sentence=days))
        return "; ".join([*(parts or [NOTHING]), *self._remarks()])

    def _prepare(self) -> None:
        mark.claim(self._connection, self._folder)
        self._connection.execute(sql("archive.canonical"))

    def _kind(self, kind: ArchivedKind, days: int) -> int:
        waiting = waiting_of(self._connection, kind, days)
        if waiting:  # a console that is new needs none yet
            require_pyarrow()
        self._run.describe(f"archiving {kind.noun}", sum(count for _, count in waiting))
        shape = TableShape.of(self._connection, kind)
        return sum(self._place(shape, place, days) for place, _ in waiting)

    def _place(self, shape: TableShape, place: DayAndType, days: int) -> int:
        """Archive all of one day and type, a file after the other; return the number of rows."""
        total, after, tries = 0, (NEVER, 0), TRIES
        while tries and (rows := self._next_rows(shape.kind, place, days, after)):
            self._stop.check()
            result = self._move(shape, place, [row_id for _, row_id in rows])
            if result.gave_up:
                # a changed row is not chosen any more: once more, without it
                tries -= 1
                self._reruns += 1
                continue
            total += len(result.ids)
            # a file that was full left some of them out, and not the newest
            after = rows[-1] if len(result.ids) == len(rows) else after
            self._run.beat()
        return total

    def _move(self, shape: TableShape, place: DayAndType, ids: Sequence[int]) -> MoveResult:
        try:
            return move(self._connection, self._folder, shape, place, ids, self._run.id)
        except OSError as error:
            raise ArchiveAway(
                f"the archive's folder {self._folder} cannot be written ({error.strerror}): what is not in a"
                " whole file was not deleted"
            ) from error

    def _next_rows(
        self, kind: ArchivedKind, place: DayAndType, days: int, after: tuple[datetime, int]
    ) -> list[tuple[datetime, int]]:
        """The next rows of a day and type, the oldest first."""
        values = {"day": place.day, "event_type": place.event_type, "days": days, "limit": ROWS}
        values |= {"created_at": after[0], "id": after[1]}
        return self._connection.execute(sql(f"archive.{kind.name}_chosen"), values).fetchall()

    def _remarks(self) -> Iterator[str]:
        if self._reruns:
            were = "was" if self._reruns == 1 else "were"
            yield (
                f"{counted(self._reruns, 'files')} {were} given up because a row changed meanwhile, and"
                " written anew"
            )
        if strange := orphan_files.strangers(self._connection, self._folder):
            lie, were = ("lies", "was") if len(strange) == 1 else ("lie", "were")
            yield (
                f"{counted(len(strange), 'files')} {lie} there that no row of this database names, and {were}"
                f" left: {orphan_files.words(strange)}"
            )
