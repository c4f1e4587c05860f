"""Any DataFrame, and each batch of any stream, through the handlers."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.kafka.items import ORIGIN, check_choice
from dlqconsole.pipeline.running.runs import Run, record_run, watch_run
from dlqconsole.pipeline.running.terminal import summary_table
from dlqconsole.pipeline.settings import Settings, read_settings
from dlqconsole.pipeline.sink.work import environment_of, work_of

from .frame import is_stream, shape_of
from .rows import SOURCE, TYPE, Naming
from .storing import BLANK, FrameTask, check_workers, store_frame, task_attempts

KIND = "spark"


@dataclass(frozen=True, slots=True)
class Result:
    """The number of events of each type and ending: ("order.created", "enriched") → 7.

    An ending is ``enriched``, ``unchanged`` (known already), ``blank`` (the value was NULL), or the class of
    the error that made dead letters of them. ``run_id``: the run in the console. ``str()`` gives a table.
    """

    run_id: int
    counts: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @property
    def events(self) -> int:
        """All rows in which there was an event."""
        return sum(self.counts.values()) - self._count_of(BLANK)

    @property
    def enriched(self) -> int:
        """Events whose handler returned a record."""
        return self._count_of("enriched")

    @property
    def unchanged(self) -> int:
        """Events that were known before."""
        return self._count_of("unchanged")

    @property
    def dead_letters(self) -> int:
        """Events that failed."""
        return self.events - self.enriched - self.unchanged

    @property
    def sentence(self) -> str:
        """62 events, 40 enriched, 22 dead letters"""
        rest = f", {self.unchanged:,} unchanged" if self.unchanged else ""
        return f"{self.events:,} events, {self.enriched:,} enriched, {self.dead_letters:,} dead letters{rest}"

    def __str__(self) -> str:
        return summary_table(self.counts)

    def _count_of(self, ending: str) -> int:
        return sum(count for (_, how), count in self.counts.items() if how == ending)


@dataclass(frozen=True, slots=True)
class CallArguments:
    """The arguments of a caller; None: the environment says it, or nobody."""

    handlers: str | None = None
    source: str | None = None
    type: str | None = None
    database_url: str | None = None
    revive_to: str | None = None

    @property
    def subject(self) -> str:
        """The run's title."""
        return f"Spark: {self.source or self.type or 'a frame'}"

    def settings(self) -> Settings:
        """Return the settings of the environment, with the caller's arguments. Raises BadRequest."""
        instead = {"DATABASE_URL": self.database_url or "", "DLQ_HANDLERS": self.handlers or ""}
        settings = read_settings(**instead)
        if not settings.handlers:
            raise BadRequest("say which modules declare your handlers: handlers=…, or DLQ_HANDLERS")
        return settings

    def address(self) -> str:
        """Return the database's address, for who needs nothing else. Raises BadRequest."""
        return read_settings(DATABASE_URL=self.database_url or "").database_url

    def naming(self) -> Naming:
        """Return the identity of events that do not name themselves."""
        revive_to = check_choice(self.revive_to or ORIGIN, "revive_to")
        return Naming(self.source or SOURCE, self.type or TYPE, revive_to=revive_to)


def run_handlers(
    df: Any = None,
    *,
    handlers: str | None = None,
    source: str | None = None,
    type: str | None = None,
    database_url: str | None = None,
    revive_to: str | None = None,
) -> Any:
    """Run the handlers over every row of a DataFrame: each event ends, once, as a record or a dead letter.

    Return a Result; without a frame an EachBatch, a function for ``foreachBatch``.

    ``df`` has a column ``value`` (binary, or a string, taken as its UTF-8 bytes) and may have ``source``,
    ``type``, ``key`` and ``headers``. ``handlers``: comma-separated modules, else DLQ_HANDLERS. ``source``
    and ``type``: of the rows that say nothing. ``database_url``: else DATABASE_URL, or that of a running
    demo. ``revive_to``: of a frame with the columns of Spark's Kafka connector, the topic to which a revive
    sends what failed at somebody else's consumer, such as "{topic}-retry"; else the topic of origin.

    Raises BadRequest before any event is read (a column, a module, a variable or a lookup file is missing),
    PipelineProblem when the work could not go on. What was stored by then stays, and is known the next time.
    """
    call = CallArguments(handlers, source, type, database_url, revive_to)
    return EachBatch(call) if df is None else _whole(df, call)


class EachBatch:
    """A function for ``foreachBatch``: the batches of one stream are one run, which rests between them.

    What Spark hands out again, after a restart or with its checkpoint deleted, is known by the tables. With
    Spark Connect it is the server that calls it: our environment goes there with it.
    """

    def __init__(self, call: CallArguments) -> None:
        call.settings()
        call.naming()
        self._call = call
        self._run_id: int | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "environment": environment_now()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        os.environ.update(state.pop("environment"))
        self.__dict__.update(state)

    def __call__(self, df: Any, batch_id: int) -> None:
        """Store one batch. Raises as run_handlers does."""
        settings = self._call.settings()
        with watch_run(self._run(settings)) as run:
            self._run_id = run.id
            result = _store(df, self._call, settings, run)
            run.finish("completed", f"batch {batch_id}: {result.sentence}")

    def _run(self, settings: Settings) -> Run:
        if self._run_id is not None:
            return Run.resume(settings.database_url, self._run_id)
        return Run.begin(settings.database_url, KIND, f"{self._call.subject} (stream)")


def _whole(df: Any, call: CallArguments) -> Result:
    if is_stream(df):
        raise BadRequest(
            "this frame is a stream: df.writeStream.foreachBatch(run_handlers(handlers=…)).start()"
        )
    settings = call.settings()
    shape_of(df.schema, call.source)
    call.naming()
    environment_of(settings.handlers)
    with record_run(settings, KIND, call.subject) as run:
        result = _store(df, call, settings, run)
        run.finish("completed", result.sentence)
    return result


def _store(df: Any, call: CallArguments, settings: Settings, run: Run) -> Result:
    shape = shape_of(df.schema, call.source)
    session = df.sparkSession
    task = FrameTask(work_of(settings, run.id, task_attempts(session)), shape, call.naming())
    check_workers(session, task.work)
    return Result(run.id, dict(store_frame(df.select(*shape.columns), task)))


def environment_now() -> tuple[tuple[str, str], ...]:
    """Our settings that a job may know, and what the handlers of DLQ_HANDLERS need. Raises BadRequest."""
    # late: a worker that takes this module needs nothing that reads settings
    from dlqconsole.configuration.settings import NAMES, NOT_THE_PIPELINES

    ours = {name: os.environ[name] for name in NAMES - NOT_THE_PIPELINES if os.environ.get(name)}
    return tuple((ours | dict(environment_of(ours.get("DLQ_HANDLERS", "")))).items())
