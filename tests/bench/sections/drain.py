"""Q4, Q5, Q6: from claim to completion."""

from tests.bench.crew import Crew
from tests.bench.report import Goal, Report, Table
from tests.bench.sections import in_turns

SYSTEMS = ("ours", "pgmq", "pgmq_autocommit", "limit", "pgqueuer", "procrastinate", "consumer")
BATCHES = (1, 10, 100)
GOALS = {
    # many consumers or one, and the batch: the peers and the factors
    (False, 1): ("Q4", {"pgmq": 1.7, "limit": 0.85}),
    (True, 1): ("Q4", {"pgmq": 1.7, "limit": 0.85}),
    (False, 10): ("Q5", {"pgmq": 1.7, "pgqueuer": 2.5, "procrastinate": 15, "limit": 0.9}),
    (True, 10): ("Q5", {"pgmq": 1.7, "pgqueuer": 2.5, "procrastinate": 15, "limit": 0.9}),
    (True, 100): ("Q6", {"pgmq": 1.3, "pgqueuer": 2.5, "limit": 0.65}),
}
NAMES = {"pgmq": "PGMQ", "limit": "UPDATE + DELETE"}


def measure(crew: Crew, report: Report) -> None:
    """Each system drains a queue filled for it; the full consumer stands beside them."""
    table = Table("Claim to completion", "messages/s")
    kinds = [(consumers, batch) for consumers in (1, crew.size.crowd) for batch in BATCHES]
    for (consumers, batch), system in in_turns(kinds, SYSTEMS, crew.size.repetitions):
        table.add(row(consumers, batch), system, crew.drain(system, consumers, batch))
    report.add(table, goals(table, crew.size.crowd))


def goals(table: Table, crowd: int) -> list[Goal]:
    """Ours against each peer."""
    return [
        Goal(name, f"{label} / {NAMES.get(peer, peer)}", target, table.ratios(label, "ours", peer))
        for (many, batch), (name, targets) in GOALS.items()
        for peer, target in targets.items()
        for label in [row(crowd if many else 1, batch)]
    ]


def row(consumers: int, batch: int) -> str:
    """What a kind is called."""
    return f"{consumers} consumer{'s' if consumers > 1 else ''}, batch {batch}"
