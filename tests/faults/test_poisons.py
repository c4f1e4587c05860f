"""Handlers that hang, swallow every error, leave and leak, all at once: what is healthy hardly waits."""

from statistics import median

import pytest

from tests.faults.poison_handlers import POISONS
from tests.sizes import sized

pytestmark = pytest.mark.faults

HEALTHY = sized(150, 1_000)
# seconds that a machine with other tests on it may add; the poisons one after the other take twice as long
OTHERS_AT_WORK = sized(4, 0)
SETTINGS = {
    "DLQ_HANDLERS": "tests.faults.poison_handlers",
    "DLQ_RETRY_PARALLEL": "8",
    "DLQ_RETRY_FIXED_RATE": "1000",
    "DLQ_HANDLER_TIMEOUT": "1",
    "DLQ_HANDLER_MEMORY": "300",
    # each poison has one turn in this test
    "DLQ_RETRY_BACKOFF_BASE": "86400",
    "DLQ_RETRY_BACKOFF_CAP": "86400",
}
INSERT = """
    INSERT INTO dlq_events (event_type, payload, error_reason, error_category, source_key)
    SELECT %s, '{}', 'Hiccup: once', 'TRANSIENT', %s || n FROM generate_series(1, %s) n
"""
# since the first handler of its batch began
DELAYS = """
    SELECT extract(epoch FROM a.finished_at - min(a.started_at) OVER ())::float8
    FROM dlq_attempts a JOIN dlq_events e ON e.id = a.dlq_event_id
    WHERE e.event_type = 'healthy' AND e.source_key LIKE %s || '%%' AND a.outcome = 'succeeded'
"""
LEFT = "SELECT count(*) FROM dlq_events WHERE event_type = 'healthy' AND status <> 'SUCCEEDED'"


def test_four_poisons_at_once_delay_what_is_healthy_by_less_than_as_much_again(world):
    scheduler = world.run("tests.faults.scheduler", **SETTINGS)
    _delays(world, scheduler, "warm", 10)
    alone = _delays(world, scheduler, "alone", HEALTHY)
    for poison in POISONS:
        world.sql.execute(INSERT, [poison, poison, 1])
    beside = _delays(world, scheduler, "beside", HEALTHY)
    assert median(beside) <= 2 * median(alone) + OTHERS_AT_WORK
    assert max(beside) <= 2 * max(alone) + OTHERS_AT_WORK
    world.until(lambda: _failed(world) == len(POISONS), 30, scheduler)
    assert world.sql.execute(
        "SELECT count(*), max(number) FROM"
        " (SELECT count(*) AS number FROM dlq_attempts WHERE outcome = 'succeeded' GROUP BY dlq_event_id) n"
    ).fetchone() == (10 + 2 * HEALTHY, 1)


def _delays(world, scheduler, name: str, number: int) -> list[float]:
    world.sql.execute(INSERT, ["healthy", name, number])
    world.until(lambda: world.count(LEFT) == 0, 120, scheduler)
    delays = [delay for (delay,) in world.sql.execute(DELAYS, [name])]
    assert len(delays) == number
    return delays


def _failed(world) -> int:
    return world.count("SELECT count(*) FROM dlq_events WHERE event_type LIKE 'poison.%' AND retry_count > 0")
