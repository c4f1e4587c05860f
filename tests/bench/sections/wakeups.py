"""Q9: how long a sleeping consumer takes from the commit to the claim."""

import time
from statistics import median, quantiles

from tests.bench.crew import Crew
from tests.bench.report import Goal, Report, Table
from tests.bench.sections import in_turns

SYSTEMS = ("ours", "pgmq", "pgqueuer", "procrastinate")


def measure(crew: Crew, report: Report) -> None:
    """One producer, one consumer, a message every 30 to 60 ms."""
    table = Table("Wake-up, commit to claim", "ms")
    for _, system in in_turns([""], SYSTEMS, crew.size.repetitions):
        waits = latencies(crew, system, crew.size.wakes)
        table.add("p50", system, median(waits))
        table.add("p99", system, quantiles(waits, n=100, method="inclusive")[98])
    report.add(
        table,
        [
            Goal(
                "Q9", "wake-up p50 / pgqueuer's", 0.3, table.ratios("p50", "ours", "pgqueuer"), at_most=True
            ),
            Goal(
                "Q9", "wake-up p99 / pgqueuer's", 0.15, table.ratios("p99", "ours", "pgqueuer"), at_most=True
            ),
        ],
    )


def latencies(crew: Crew, system: str, number: int) -> list[float]:
    """Milliseconds, one a message; a claim may be faster than the producer learns of its own commit."""
    crew.stock.clear(system)
    consumer, producer = crew.workers(system, 2)
    seconds = number * 0.06 + 10
    consumer.begin("wait_for", number=number, seconds=seconds)
    time.sleep(0.5)  # until it sleeps
    producer.begin("send_spaced", number=number)
    sent, claimed = producer.answer(), consumer.answer()
    if sent.keys() != claimed.keys():
        raise RuntimeError(f"{system}: {len(sent)} messages were sent and {len(claimed)} claimed.")
    return [max(0.0, claimed[key] - sent[key]) * 1000 for key in sent]
