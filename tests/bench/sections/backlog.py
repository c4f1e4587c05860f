"""Q7, Q8: a long queue, a long schedule, and an old transaction that nobody ends."""

from contextlib import ExitStack

from tests.bench.crew import Crew
from tests.bench.report import Goal, Report, Table
from tests.bench.sections import in_turns

SYSTEMS = ("ours", "pgmq")
SMALL, BACKLOG, SCHEDULED, HELD = "small backlog", "large backlog", "large schedule", "held xmin, churned"
BATCH = 10


def measure(crew: Crew, report: Report) -> None:
    """One consumer, in four databases side by side, so that the repetitions stand close together."""
    server, size = crew.server, crew.size
    table = Table(
        f"One consumer, batch {BATCH}: {size.small:,} messages; {size.backlog:,}; "
        f"{size.scheduled:,} scheduled; {size.churn:,} churned under an old transaction",
        "messages/s",
    )
    with ExitStack() as stack:
        names = {SMALL: "small", BACKLOG: "backlog", SCHEDULED: "scheduled", HELD: "held"}
        crews = {row: stack.enter_context(Crew(server, name, size)) for row, name in names.items()}
        for system in SYSTEMS:
            crews[BACKLOG].stock.fill(system, size.backlog)
            crews[SCHEDULED].stock.schedule(system, size.scheduled)
        held = stack.enter_context(crews[HELD].stock.hold_back())
        for system in SYSTEMS:
            crews[HELD].stock.churn(system, size.churn)
            crews[HELD].stock.fill(system, size.small)
        for row, system in in_turns(names, SYSTEMS, size.repetitions):
            if row != BACKLOG:
                crews[row].stock.top_up(system, size.small)
            table.add(row, system, crews[row].rate(system, "drain", batch=BATCH))
        held.close()
    report.add(table, goals(table))


def goals(table: Table) -> list[Goal]:
    """Against our own small backlog, and against PGMQ in the same trouble."""
    asked = [("Q7", BACKLOG, 0.95, 1.3), ("Q7", SCHEDULED, 0.95, 1.3), ("Q8", HELD, 0.8, 40)]
    return [
        goal
        for name, row, kept, ahead in asked
        for goal in (
            Goal(name, f"{row} / our own small", kept, table.ratios(row, "ours", "ours", SMALL)),
            Goal(name, f"{row} / PGMQ's", ahead, table.ratios(row, "ours", "pgmq")),
        )
    ]
