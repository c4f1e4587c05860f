"""``format("dlqconsole")``: writes events, by batch and by stream, and reads dead letters.

Spark makes this Python Data Source anew for each plan, in a process of its own; what it makes travels to
the workers.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceReader,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.running.data_source_errors import without_traceback
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.pipeline.sink.batches import Tally
from dlqconsole.pipeline.sink.readiness import work_of

from .claimed import CLAIM
from .claimed import COLUMNS as CLAIMED
from .filter_pushdown import check_names
from .frame import shape_of
from .handlers import KIND, CallArguments, environment_now, words_of
from .letters import COLUMNS, as_ddl
from .query_runs import end_run, run_of_query
from .readers import ClaimedReader, LettersReader
from .results import Result
from .session import task_attempts
from .storing import FrameTask, store_batches

NAME = "dlqconsole"
TO_WRITE = ("url", "handlers", "source", "type", "revive_to")
# options that Spark gives a stream's sink along with its own
SPARKS = ("checkpointlocation", "path")


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
        if CLAIM not in self.options:
            LettersReader("", self.options)  # said by load(), and not by what is done with the frame later
        return as_ddl(CLAIMED if CLAIM in self.options else COLUMNS)

    @without_traceback
    def reader(self, schema: Any) -> DataSourceReader:
        if CLAIM in self.options:
            return ClaimedReader(self._arguments().address(), self.options)
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
        self._end("completed", _words(_commits(messages)))

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        self._end("failed", f"the write was given up; before that: {_words(_commits(messages))}")

    def _end(self, status: str, words: str) -> None:
        end_run(self._task.work.database_url, self._task.work.run_id, status, words)


class StreamWriter(DataSourceStreamArrowWriter):
    """Stores the batches of one stream: one run, which rests between them."""

    def __init__(self, task: FrameTask, subject: str) -> None:
        self._task, self._subject = task, subject

    def write(self, iterator: Iterator[Any]) -> TaskCommit:
        work = self._task.work
        run_id = run_of_query(work.database_url, self._subject)
        return TaskCommit(run_id, store_batches(replace(self._task, work=work.of_run(run_id)), iterator))

    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        self._end(messages, "completed", f"batch {batchId}: ")

    def abort(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        self._end(messages, "failed", f"batch {batchId} was given up; before that: ")

    def _end(self, messages: Sequence[WriterCommitMessage | None], status: str, words: str) -> None:
        commits = _commits(messages)
        for run_id in {each.run_id for each in commits}:
            end_run(self._task.work.database_url, run_id, status, words + _words(commits))


def _commits(messages: Sequence[WriterCommitMessage | None]) -> list[TaskCommit]:
    return [message for message in messages if isinstance(message, TaskCommit)]


def _words(commits: Sequence[TaskCommit]) -> str:
    tally: Tally = Counter()
    for each in commits:
        tally.update(each.tally)
    return words_of(Result(0, tally))
