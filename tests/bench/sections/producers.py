"""Q10: what wake-ups cost those who send, and whether one is ever missed."""

from tests.bench.crew import Crew, Worker, together
from tests.bench.report import Goal, Report, Table
from tests.bench.sections import in_turns

ON, OFF = "bench", "bench-off"
BUSY, NONE, IDLE, ASLEEP = "busy consumer", "no consumer", "idle consumer", "consumer that stays asleep"
RACERS = 2


def measure(crew: Crew, report: Report) -> None:
    """Many producers, one message a transaction; the same without wake-ups beside it."""
    table = Table(f"Enqueue, {crew.size.producers} producers", "messages/s")
    for row, queue in in_turns((BUSY, NONE, IDLE, ASLEEP), (ON, OFF), crew.size.repetitions):
        table.add(row, "wake-ups on" if queue == ON else "off", rate(crew, row, queue))
    missed = races(crew, crew.size.races)
    table.add(f"missed wake-ups of {crew.size.races:,}", "wake-ups on", missed)
    cost = [
        Goal("Q10", f"enqueue, {row} / without wake-ups", 0.9, table.ratios(row, "wake-ups on", "off"))
        for row in (BUSY, NONE, IDLE, ASLEEP)
    ]
    report.add(
        table, [*cost, Goal("Q10", f"missed wake-ups of {crew.size.races:,}", 0, [missed], at_most=True)]
    )


def rate(crew: Crew, row: str, queue: str) -> float:
    """Messages a second of all producers together, beside a consumer of that kind."""
    crew.stock.clear("ours")
    if row == BUSY:
        crew.stock.fill_queue(queue, crew.size.fill("ours", 100))
    consumer, *producers = crew.workers("ours", 1 + crew.size.producers)
    watching = _occupy(consumer, row, queue, crew.size.seconds + crew.size.warm)
    for producer in producers:
        producer.begin("send", queue=queue, batch=1, seconds=crew.size.seconds, warm=crew.size.warm)
    counted = [producer.answer() for producer in producers]
    if watching:
        consumer.answer()
    return together(counted)


def _occupy(consumer: Worker, row: str, queue: str, seconds: float) -> bool:
    if row == BUSY:
        consumer.begin("drain", queue=queue, batch=100, seconds=seconds, warm=0)
    elif row == IDLE:
        # without wake-ups it has to look often
        consumer.begin("follow", queue=queue, seconds=seconds, poll_seconds=2.0 if queue == ON else 0.05)
    elif row == ASLEEP:
        consumer.begin("sleep", queue=queue, seconds=seconds)
    return row != NONE


def races(crew: Crew, rounds: int) -> int:
    """A message is sent whenever the consumer is about to fall asleep; how many did not wake it."""
    racers = crew.workers("ours", RACERS)
    for number, racer in enumerate(racers):
        racer.begin("race", queue=f"race-{number}", rounds=rounds // RACERS)
    return sum(racer.answer()["missed"] for racer in racers)
