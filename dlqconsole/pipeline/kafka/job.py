"""Ingest of topics: every record becomes an enriched event or a dead letter, once.

The driver asks where each partition stands and hands out ranges; workers read them side by side, handle and
store them. A round takes ``maxOffsetsPerTrigger`` records at most, however much has piled up.
"""

from collections import Counter
from collections.abc import Mapping
from functools import partial

import orjson

from dlqconsole.configuration.addresses import read_properties
from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.intake import Workers, check_handlers
from dlqconsole.pipeline.running.jobs import StopSignal
from dlqconsole.pipeline.running.runs import Run, record_run
from dlqconsole.pipeline.running.terminal import NO_NEW, WATCHING, Terminal, progress_line, summary_table
from dlqconsole.pipeline.settings import Settings
from dlqconsole.pipeline.sink.batches import Tally
from dlqconsole.pipeline.sink.work import work_of
from dlqconsole.processing.inputs.sentences import stored

from .client import Cluster
from .items import RETRY, Destinations, check_choice
from .options import KafkaOptions, read_address, read_options
from .planning import Planning
from .reading import OffsetRange
from .worker import TopicWork, ingest_range

LOOK_SECONDS = 2.0
READING = stored("reading {source}")
LOST = stored("{number:,} records were gone before they were read")


def ingest_topics(
    settings: Settings, address: str, extra: Mapping[str, str], *, once: bool, revive_to: str = RETRY
) -> int:
    """Read topics; without `once` go on as records come. The exit status.

    ``extra``: options beside the address.
    """
    check_handlers(settings)
    options = read_options({**read_address(address, _properties(settings)), **extra})
    to = check_choice(revive_to)
    with Cluster(options.client) as cluster:
        cluster.places(options.topics)  # a topic that is not there is said before a run begins
        return _run_rounds(settings, address, options, cluster, to, once=once)


def _run_rounds(
    settings: Settings, address: str, options: KafkaOptions, cluster: Cluster, to: str, *, once: bool
) -> int:
    terminal, stop = Terminal("ingest"), StopSignal()
    with stop.listening(), record_run(settings, "ingest", address) as run:
        planning = Planning(cluster, options, settings.database_url, once=once)
        work = work_of(settings, run.id)
        task = TopicWork(work, options, cluster.name, Destinations(to, frozenset(cluster.topics())))
        workers = Workers(settings, None if settings.on_this_machine else work, run, stop, terminal)
        rounds = _Rounds(workers, terminal, task, planning)
        rounds.until_read() if once else rounds.until_stopped()
        return _finish(run, terminal, address, rounds)


def _properties(settings: Settings) -> dict[str, str]:
    try:
        return read_properties(settings.kafka_config)
    except ValueError as error:
        raise BadRequest(f"DLQ_KAFKA_CONFIG: {error}") from None


def _finish(run: Run, terminal: Terminal, address: str, rounds: "_Rounds") -> int:
    run.beat()
    read = run.progress.done_count or rounds.lost
    line = progress_line("ingest", run.progress) if read else f"ingest: {NO_NEW.format(source=address)}"
    line += f"; {LOST.format(number=rounds.lost)}" if rounds.lost else ""
    run.finish("completed", line.removeprefix("ingest: "))
    terminal.say(line)
    if rounds.tally:
        terminal.say(summary_table(rounds.tally))
    return 0


class _Rounds:
    """The rounds of one run, and what came of them. ``lost``: how many records were gone."""

    def __init__(self, workers: Workers, terminal: Terminal, task: TopicWork, planning: Planning) -> None:
        self._workers, self._terminal, self._task, self._planning = workers, terminal, task, planning
        self._sentence_count = 0
        self.lost = 0
        self.tally: Tally = Counter()

    def until_read(self) -> None:
        """Read what is there now. Where all is read, Spark is not started."""
        ranges = self._next_round()
        if not ranges:
            return
        with self._workers.running():
            while ranges:
                self._read(ranges)
                ranges = self._next_round()

    def until_stopped(self) -> None:
        """Read what is there, then what comes, until we are stopped between two rounds."""
        with self._workers.running():
            while True:
                if ranges := self._next_round():
                    self._read(ranges)
                    continue
                self._workers.run.describe(WATCHING.format(source=self._topics))
                self._workers.run.beat()
                if self._workers.stop.wait(LOOK_SECONDS):
                    return

    @property
    def _topics(self) -> str:
        return ", ".join(self._task.options.topics)

    def _next_round(self) -> list[OffsetRange]:
        """Plan it, and say what is gone."""
        self._workers.stop.check()
        ranges = self._planning.next_round()
        for sentence in self._planning.lost[self._sentence_count :]:
            self._terminal.say(f"ingest: {sentence}")
        self._sentence_count = len(self._planning.lost)
        return ranges

    def _read(self, ranges: list[OffsetRange]) -> None:
        self._workers.run.describe(READING.format(source=self._topics), sum(each.size for each in ranges))
        total = sum(each.lost_count for each in ranges)
        for tally, lost_records in self._workers.compute(partial(ingest_range, self._task), ranges):
            self.tally.update(tally)
            total += lost_records
        if total:
            self._workers.run.add(0, orjson.dumps({"lost": total}).decode())
        self.lost += total
        self._planning.done(ranges)
