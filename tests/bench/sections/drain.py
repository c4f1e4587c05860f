"""Q4, Q5, Q6: from claim to completion."""

from tests.bench.crew import Crew
from tests.bench.report import Goal, Report, Table
from tests.bench.sections import in_turns
from tests.bench.server import Server
from tests.bench.sizes import Size

SYSTEMS = ("ours", "pgmq", "limit", "pgqueuer", "procrastinate", "consumer")
KINDS = [(consumers, batch) for consumers in (1, 4) for batch in (1, 10, 100)]
GOALS = {
    # consumers, batch: the peers and the factors
    (1, 1): ("Q4", {"pgmq": 1.7, "limit": 0.85}),
    (4, 1): ("Q4", {"pgmq": 1.7, "limit": 0.85}),
    (1, 10): ("Q5", {"pgmq": 1.7, "pgqueuer": 2.5, "procrastinate": 15, "limit": 0.9}),
    (4, 10): ("Q5", {"pgmq": 1.7, "pgqueuer": 2.5, "procrastinate": 15, "limit": 0.9}),
    (4, 100): ("Q6", {"pgmq": 1.3, "pgqueuer": 2.5, "limit": 0.65}),
}
NAMES = {"pgmq": "PGMQ", "limit": "UPDATE + DELETE"}


def measure(server: Server, size: Size, report: Report) -> None:
    """Each system drains a queue filled for it."""
    table = Table("Claim to completion", "messages/s")
    with Crew(server, "drain", size) as crew:
        for (consumers, batch), system in in_turns(KINDS, SYSTEMS, size.repetitions):
            table.add(row(consumers, batch), system, crew.drain(system, consumers, batch))
    report.add(table, goals(table))


def goals(table: Table) -> list[Goal]:
    """Ours against each; the full consumer is in the table, beside them."""
    return [
        Goal(name, f"{row(*kind)} / {NAMES.get(peer, peer)}", target, table.ratios(row(*kind), "ours", peer))
        for kind, (name, targets) in GOALS.items()
        for peer, target in targets.items()
    ]


def row(consumers: int, batch: int) -> str:
    """What a kind is called."""
    return f"{consumers} consumer{'s' if consumers > 1 else ''}, batch {batch}"
