"""Q11: the whole consumer as people run it, its handlers in a process of their own."""

from tests.bench.crew import Crew
from tests.bench.report import Goal, Report, Table
from tests.bench.sections import in_turns

BATCH = 50
NO_OP, WAITS = "no-op, batch 50", "waits 5 ms, batch 50"
BARE = {1: 1.0, 10: 1.0, 100: 0.6}
ROWS = {
    NO_OP: {
        "consumer": {},
        "in place": {"apart": False},
        "pgqueuer": {},
        "celery_prefork": {},
    },
    WAITS: {
        "threads": {"queue": "bench.waits", "concurrency": BATCH},
        "async": {"queue": "bench.awaits", "concurrency": BATCH},
        "pgqueuer": {"wait": 0.005},
    },
}


def measure(crew: Crew, report: Report) -> None:
    """Handlers that do nothing and that wait, beside a worker with one loop; batches beside a bare loop."""
    table, cost = Table("The whole consumer", "messages/s"), Table("A handler's process", "µs of processor")
    for _ in range(crew.size.repetitions):
        for row, systems in ROWS.items():
            for system, options in systems.items():
                table.add(row, system, drain(crew, system, BATCH, **options))
        cost.add(
            "each event", "isolation", crew.ask("ours", "isolation", events=crew.size.retries, batch=BATCH)
        )
    batches = {batch: f"batch {batch}" for batch in BARE}
    for batch, system in in_turns(BARE, ("consumer", "pgmq"), crew.size.repetitions):
        table.add(batches[batch], system, drain(crew, system, batch))
    report.add(
        table,
        [
            Goal("Q11", "no-op handler / pgqueuer", 1.0, table.ratios(NO_OP, "consumer", "pgqueuer")),
            Goal("Q11", "no-op handler / Celery", 10.0, table.ratios(NO_OP, "consumer", "celery_prefork")),
            Goal("Q11", "5 ms handler, threads / pgqueuer", 2.0, table.ratios(WAITS, "threads", "pgqueuer")),
            Goal("Q11", "5 ms handler, async / pgqueuer", 2.0, table.ratios(WAITS, "async", "pgqueuer")),
            *[
                Goal("Q11", f"{row} / PGMQ's bare loop", BARE[batch], table.ratios(row, "consumer", "pgmq"))
                for batch, row in batches.items()
            ],
        ],
    )
    results = cost.rows["each event"]["isolation"]
    report.add(cost, [Goal("Q11", "a handler's process, µs an event", 20, results, at_most=True)])


def drain(crew: Crew, system: str, batch: int, **options: object) -> float:
    """Messages a second of one consumer, on a queue that is filled for it."""
    if system == "celery_prefork":
        return crew.rate(system, "drain", batch=batch, tasks=crew.size.fill(system, 100))
    if system in ("pgqueuer", "pgmq"):
        crew.stock.clear(system)
        crew.stock.fill(system, crew.size.fill(system, 100 if batch > 10 else batch))
        return crew.rate(system, "drain", batch=batch, **options)
    crew.stock.clear("ours")
    queue = str(options.get("queue", "bench"))
    crew.stock.fill_queue(queue, crew.size.fill("consumer", 100 if batch > 10 else batch))
    return crew.rate("ours", "consume", batch=batch, **{"apart": True} | options)
