"""Q1, Q2: one producer."""

from tests.bench.crew import Crew
from tests.bench.report import Goal, Report, Table
from tests.bench.sections import in_turns

BULK = 10_000
PEERS = ("pgmq", "pgmq_autocommit", "pgqueuer", "procrastinate")
ROWS = {1: "single", 100: "batch 100", BULK: "bulk 10,000"}


def measure(crew: Crew, report: Report) -> None:
    """Sends to an empty queue, nobody listening."""
    table = Table("Enqueue, 1 producer", "messages/s")
    for batch, system in in_turns(ROWS, ("ours", *PEERS, "limit"), crew.size.repetitions):
        if batch < BULK or system not in PEERS:
            table.add(ROWS[batch], system, crew.send(system, batch))
    best = table.best("batch 100", PEERS)
    report.add(
        table,
        [
            Goal("Q1", "enqueue single / PGMQ", 1.5, table.ratios("single", "ours", "pgmq")),
            Goal("Q1", "enqueue single / bare INSERT", 0.5, table.ratios("single", "ours", "limit")),
            Goal(
                "Q2", f"enqueue batch 100 / best peer ({best})", 2.2, table.ratios("batch 100", "ours", best)
            ),
            Goal("Q2", "enqueue bulk / bare COPY", 0.7, table.ratios(ROWS[BULK], "ours", "limit")),
        ],
    )
