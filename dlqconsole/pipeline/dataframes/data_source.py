"""``format("dlqconsole")``: writes events, by batch and by stream, and reads dead letters.

Spark makes this Python Data Source anew for each plan, in a process of its own; what it makes travels to
the workers.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceReader,
    DataSourceStreamArrowWriter,
    Filter,
    InputPartition,
    WriterCommitMessage,
)

from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.errors import BadRequest, without_traceback
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.pipeline.sink.batches import Tally
from dlqconsole.pipeline.sink.work import work_of
from dlqconsole.pipeline.sql import sql

from . import claims, letters
from .frame import shape_of
from .handlers import KIND, CallArguments, Result, environment_now
from .letters import as_ddl, check_names, filter_of, push_filters, ranges
from .storing import FrameTask, store_batches, task_attempts

NAME = "dlqconsole"
TO_WRITE = ("url", "handlers", "source", "type", "revive_to")
# options that Spark gives a stream's sink along with its own
SPARKS = ("checkpointlocation", "path")
PARTITIONS = 8
# Spark's own name; the query's stays the same as long as its checkpoint does
QUERY = "sql.streaming.queryId"


def register(spark: Any) -> None:
    """Let this session use ``format("dlqconsole")``, with filters pushed down to Python data sources.

    Our environment as it is now goes with it: that of Java is as old as the session.
    """

    class Registered(ConsoleSource):
        attempts = task_attempts(spark)
        environment = environment_now()

    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    spark.dataSource.register(Registered)


class ConsoleSource(DataSource):
    """Options to write: ``url``, ``handlers``, ``source``, ``type``, ``revive_to``.

    To read: ``url``, ``partitions``, and the filter: ``status``, ``type``, ``source``, ``category``,
    ``error_class``, ``group_id``, ``since``, ``until``.
    """

    # the attempts at a task where this source was registered, and the environment there
    attempts = 1
    environment: tuple[tuple[str, str], ...] = ()

    @classmethod
    def name(cls) -> str:
        return NAME

    @without_traceback
    def schema(self) -> str:
        if claims.CLAIM in self.options:
            return as_ddl(claims.COLUMNS)
        filter_of(self.options)  # said by load(), and not by what is done with the frame later
        return as_ddl(letters.COLUMNS)

    @without_traceback
    def reader(self, schema: Any) -> DataSourceReader:
        if claims.CLAIM in self.options:
            return ClaimReader(self._arguments().address(), self.options)
        return LettersReader(self._arguments().address(), self.options)

    @without_traceback
    def writer(self, schema: Any, overwrite: bool) -> DataSourceArrowWriter:
        if overwrite:
            raise BadRequest("events can be added, and nothing be overwritten: use mode('append')")
        call, task = self._arguments(), self._task(schema)
        run = Run.begin(task.work.database_url, KIND, call.subject)
        run.close()
        return BatchWriter(replace(task, work=task.work.of_run(run.id)))

    @without_traceback
    def streamWriter(  # noqa: N802
        self, schema: Any, overwrite: bool
    ) -> DataSourceStreamArrowWriter:
        # Spark asks for it again at each commit: it must cost nothing, and know nothing
        return StreamWriter(self._task(schema), self._arguments().subject)

    def _arguments(self) -> CallArguments:
        os.environ.update(self.environment)
        get = self.options.get
        return CallArguments(get("handlers"), get("source"), get("type"), get("url"), get("revive_to"))

    def _task(self, schema: Any) -> FrameTask:
        options = {name: value for name, value in self.options.items() if name.lower() not in SPARKS}
        check_names(options, TO_WRITE, "write")
        call = self._arguments()
        settings = call.settings()
        return FrameTask(work_of(settings, 0, self.attempts), shape_of(schema, call.source), call.naming())


@dataclass
class IdRange(InputPartition):
    """Rows with ids from first to last."""

    first: int
    last: int


class LettersReader(DataSourceReader):
    """Reads dead letters with the role of its address: what that role may not see, it does not get."""

    def __init__(self, database_url: str, options: Any) -> None:
        self._url = database_url
        self._filter = filter_of(options)
        self._partitions = max(int(options.get("partitions", PARTITIONS)), 1)

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802
        self._filter, rest = push_filters(self._filter, filters)
        return rest

    @without_traceback
    def partitions(self) -> Sequence[InputPartition]:
        # Spark makes a range of its own of none at all
        ends = letters.bounds(self._url, self._filter) or (0, 0)
        return [IdRange(*each) for each in ranges(*ends, self._partitions)]

    def read(self, partition: Any) -> Iterator[Any]:
        return letters.read(self._url, self._filter, partition.first, partition.last)


class ClaimReader(DataSourceReader):
    """Reads the messages of one claim, for ``fixed_rows``."""

    def __init__(self, database_url: str, options: Any) -> None:
        self._url, self._token = database_url, options[claims.CLAIM]
        self._ends = int(options["first"]), int(options["last"])

    def partitions(self) -> Sequence[InputPartition]:
        return [IdRange(*each) for each in ranges(*self._ends, PARTITIONS)]

    def read(self, partition: Any) -> Iterator[Any]:
        return claims.read(self._url, self._token, partition.first, partition.last)


@dataclass
class TaskCommit(WriterCommitMessage):
    """The counts of a task, and the run that it worked for."""

    run_id: int
    tally: Tally


class BatchWriter(DataSourceArrowWriter):
    """Stores one frame: one run."""

    def __init__(self, task: FrameTask) -> None:
        self._task = task

    def write(self, iterator: Iterator[Any]) -> TaskCommit:
        return TaskCommit(self._task.work.run_id, store_batches(self._task, iterator))

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        self._end("completed", _sentence(_commits(messages)))

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        self._end("failed", f"the write was given up; before that: {_sentence(_commits(messages))}")

    def _end(self, status: str, words: str) -> None:
        _end_run(self._task.work.database_url, self._task.work.run_id, status, words)


class StreamWriter(DataSourceStreamArrowWriter):
    """Stores the batches of one stream: one run, which rests between them."""

    def __init__(self, task: FrameTask, subject: str) -> None:
        self._task, self._subject = task, subject

    def write(self, iterator: Iterator[Any]) -> TaskCommit:
        work = self._task.work
        run_id = _run_of_query(work.database_url, self._subject)
        return TaskCommit(run_id, store_batches(replace(self._task, work=work.of_run(run_id)), iterator))

    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        self._end(messages, "completed", f"batch {batchId}: ")

    def abort(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        self._end(messages, "failed", f"batch {batchId} was given up; before that: ")

    def _end(self, messages: Sequence[WriterCommitMessage | None], status: str, words: str) -> None:
        commits = _commits(messages)
        for run_id in {each.run_id for each in commits}:
            _end_run(self._task.work.database_url, run_id, status, words + _sentence(commits))


def _commits(messages: Sequence[WriterCommitMessage | None]) -> list[TaskCommit]:
    return [message for message in messages if isinstance(message, TaskCommit)]


def _sentence(commits: Sequence[TaskCommit]) -> str:
    tally: Tally = Counter()
    for each in commits:
        tally.update(each.tally)
    return Result(0, tally).sentence


def _run_of_query(database_url: str, subject: str) -> int:
    """Return the run of the query that this task belongs to: the one it had, or a new one for all its tasks.

    Its tasks find it: the writer of a stream hears of no beginning and of no end.
    """
    subject = f"{subject} (stream {_query()})"
    with connect(database_url, "run", autocommit=False) as connection:
        connection.execute(sql("dataframes.one_at_a_time"), {"subject": subject})
        values = {"kind": KIND, "subject": subject}
        row = connection.execute(sql("dataframes.resume_query"), values).fetchone()
        if row is not None:
            return int(row[0])
        run = Run.begin(database_url, KIND, subject)
        run.close()
    return run.id


def _query() -> str:
    from pyspark import TaskContext

    task = TaskContext.get()
    return (task and task.getLocalProperty(QUERY)) or "without a name"


def _end_run(database_url: str, run_id: int, status: str, words: str) -> None:
    """Write the last word, until its next batch."""
    run = Run.resume(database_url, run_id)
    try:
        run.finish(status, words)
    finally:
        run.close()
