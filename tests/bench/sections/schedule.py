"""S1, S2: the schedule beside the source design's, of which one worker at a time does all; who waits."""

from collections.abc import Sequence
from statistics import median
from typing import Any

import psycopg

from tests.bench.crew import Crew, Worker, together
from tests.bench.due_letters import fill
from tests.bench.report import Goal, Report, Table
from tests.bench.sections import in_turns

OURS, SHEDLOCK = "ours", "ShedLock only"
HANDLERS = {"no-op": 0.0, "20 ms": 0.02}
EMPTY = "TRUNCATE dlq_events, dlq_attempts, enriched_events, retry_runs, bare_letters CASCADE"
FILL = """INSERT INTO dlq_events (event_type, payload, error_reason, error_category, source_key)
    SELECT %(type)s::text, jsonb_build_object('order_id', i, 'seconds', %(seconds)s::float8),
        'TimeoutError: no answer', 'TRANSIENT', %(type)s::text || i
    FROM generate_series(1, %(number)s) i"""
FILL_SOURCE = """INSERT INTO bare_letters (event_type, payload, error_reason, status, retry_after)
    SELECT 'bench.quick', jsonb_build_object('order_id', i), 'TimeoutError: no answer', 'PENDING', now()
    FROM generate_series(1, %(number)s) i"""
# what was done, by the database's clock; more than one success each is one too many
DONE = """SELECT count(DISTINCT dlq_event_id), count(*) - count(DISTINCT dlq_event_id),
        extract(epoch FROM max(finished_at) - min(started_at))::float8
    FROM dlq_attempts WHERE outcome = 'succeeded'"""
WAITS = """SELECT extract(epoch FROM a.finished_at - r.started_at)::float8 * 1000
    FROM dlq_attempts a JOIN dlq_events e ON e.id = a.dlq_event_id
    CROSS JOIN (SELECT min(started_at) AS started_at FROM retry_runs) r
    WHERE e.event_type = 'bench.quick'"""


def measure(crew: Crew, report: Report) -> None:
    """In databases of their own: one that is large, and one that is filled anew for each cell."""
    with Crew(crew.server, "due", crew.size) as large:
        ticks(large, report)
    with Crew(crew.server, "schedule", crew.size) as own:
        rates(own, report)
        fairness(own, report)


def ticks(crew: Crew, report: Report) -> None:
    """To find and lock fifty that are due."""
    number = crew.size.due
    fill(crew.url, number)
    table = Table(f"A tick: fifty of {number // 10:,} that are due, among {number:,} dead letters", "ms")
    scans = ("ours, one type", "ours, every type", "ours, with the claim", "source design")
    for whose in scans:
        crew.ask("schedule", "tick", whose=whose, number=3)
    for _, whose in in_turns([""], scans, crew.size.repetitions):
        took = crew.ask("schedule", "tick", whose=whose, number=crew.size.views * 5)
        table.add("p50", whose, median(took))
    goals = [
        Goal("S1", f"tick of 50, {kind} / source design's index", 0.3, ratios, at_most=True)
        for kind in ("one type", "every type")
        for ratios in [table.ratios("p50", f"ours, {kind}", "source design")]
    ]
    astray = sum(not crew.ask("schedule", "goes_by_its_index", whose=whose) for whose in scans)
    report.add(table, [*goals, Goal("S1", "ticks that go by another index", 0, [astray], at_most=True)])


def rates(crew: Crew, report: Report) -> None:
    """From the first handler's begin to the last one's end, by one worker and by several."""
    table = Table("Retries by the schedule", "events/s")
    duplicates: list[float] = []
    crowd = crew.size.crowd
    Bench(crew).ours(crowd, "no-op", 8 * crowd)  # so that all processes are there
    cells = [(workers, handler) for workers in (1, crowd) for handler in HANDLERS]
    for (workers, handler), system in in_turns(cells, (OURS, SHEDLOCK), crew.size.repetitions):
        number = crew.size.retries if handler == "no-op" else crew.size.retries // 20
        bench = Bench(crew)
        if system == OURS:
            rate, twice = bench.ours(workers, handler, number)
            duplicates.append(twice)
        else:
            rate = bench.shedlock(workers, handler, number)
        table.add(row(workers, handler), system, rate)
    labels = [row(crowd, handler) for handler in HANDLERS]
    goals = [
        Goal("S1", f"{label} / ShedLock only", 3.5, table.ratios(label, OURS, SHEDLOCK)) for label in labels
    ]
    report.add(table, [*goals, Goal("S1", "handled more than once", 0, duplicates, at_most=True)])


def fairness(crew: Crew, report: Report) -> None:
    """A quick type's wait, alone and beside a slow one that fell due before it."""
    table = Table("From the run's begin to a quick event's end, one worker", "ms")
    size = crew.size
    for _, beside in in_turns([""], ("alone", "beside a slow type"), size.repetitions):
        slow = size.slow if beside != "alone" else 0
        waits = Bench(crew).waits(slow, 5 * size.slow)
        table.add("p50", beside, median(waits))
        table.add("longest", beside, max(waits))
    report.add(
        table,
        [
            Goal("S2", f"{which} wait beside a slow type / alone", 2, ratios, at_most=True)
            for which in ("p50", "longest")
            for ratios in [table.ratios(which, "beside a slow type", "alone")]
        ],
    )


class Bench:
    """One cell: the tables are emptied, filled, and worked off."""

    def __init__(self, crew: Crew) -> None:
        self.crew = crew
        self._execute(EMPTY)

    def ours(self, workers: int, handler: str, number: int) -> tuple[float, int]:
        """Events a second, and how many were handled more than once."""
        self._fill("bench.quick", HANDLERS[handler], number)
        self._work("schedule", workers)
        [(done, twice, seconds)] = self._execute(DONE)
        if done != number:
            raise RuntimeError(f"Of {number} dead letters {done} were retried.")
        return done / seconds, twice

    def shedlock(self, workers: int, handler: str, number: int) -> float:
        """Events a second."""
        self._execute(FILL_SOURCE, number=number)
        self._execute("VACUUM (ANALYZE) bare_letters")
        counted = self._work("shedlock", workers, seconds=HANDLERS[handler])
        return together(counted)

    def waits(self, slow: int, quick: int) -> list[float]:
        """Milliseconds until each quick one was done, beside so many that take half a second."""
        self._fill("bench.slow", 0.5, slow)
        self._fill("bench.quick", 0.0, quick)
        self._work("schedule", 1)
        return [row[0] for row in self._execute(WAITS)]

    def _fill(self, event_type: str, seconds: float, number: int) -> None:
        self._execute(FILL, type=event_type, seconds=seconds, number=number)
        self._execute("VACUUM (ANALYZE) dlq_events")

    def _work(self, system: str, number: int, **options: Any) -> list[Any]:
        workers: Sequence[Worker] = self.crew.workers(system, number)
        for worker in workers:
            worker.begin("work", **options)
        return [worker.answer() for worker in workers]

    def _execute(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.crew.url, autocommit=True) as connection:
            cursor = connection.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []


def row(workers: int, handler: str) -> str:
    """What a cell is called."""
    return f"{workers} worker{'s' if workers > 1 else ''}, {handler}"
