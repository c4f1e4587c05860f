"""Ours: a worker of the schedule as Celery runs it, handlers in processes of their own."""

import time
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection, transaction  # noqa: E402

from dlqconsole.core import handling  # noqa: E402
from dlqconsole.core.dead_letters import claims  # noqa: E402
from dlqconsole.core.sql import sql  # noqa: E402
from dlqconsole.retries import run  # noqa: E402
from tests.bench.due_letters import SOURCE_INDEX, SOURCE_SCAN, TYPES  # noqa: E402
from tests.engine.database.claim_statement import claim_statement  # noqa: E402

OURS = "dlq_events_due"
LEFT = "SELECT count(*) FROM dlq_events WHERE status IN ('PENDING', 'RETRYING')"


class Peer:
    def __init__(self, url: str) -> None:
        settings.DLQ_RETRY_FIXED_RATE = 1_000
        connection.ensure_connection()
        handling.isolate()

    def work(self) -> None:
        """Tick until nothing is left."""
        while _rows(LEFT)[0][0]:
            if run.run_when_due() is None:
                time.sleep(0.02)

    def tick(self, whose: str, number: int) -> list[float]:
        """Find and lock fifty that are due, so many times; milliseconds each."""
        return [_timed(*SCANS[whose]) for _ in range(number)]

    def goes_by_its_index(self, whose: str) -> bool:
        """Whether PostgreSQL finds them by the index that is there for it."""
        statement, values = SCANS[whose]
        with transaction.atomic():
            plan = "\n".join(row[0] for row in _rows(f"EXPLAIN {statement}", values))
        return (SOURCE_INDEX if whose == "source design" else OURS) in plan and "Seq Scan on dlq" not in plan


def _claiming(rooms: list[int]) -> tuple[str, dict[str, Any]]:
    lanes = [claims.ClaimRequest(f"due.type_{number}", room, 240, 30.0) for number, room in enumerate(rooms)]
    return sql("claims.claim_due"), claims.due_values(lanes) | {"owner": "bench"}


def _finding(rooms: list[int]) -> tuple[str, dict[str, Any]]:
    """The claim up to where it writes."""
    _statement, values = _claiming(rooms)
    return claim_statement(), values


_EVERY = [50 // TYPES + (number < 50 % TYPES) for number in range(TYPES)]
SCANS: dict[str, tuple[str, dict[str, Any] | None]] = {
    "ours, one type": _finding([50]),
    "ours, every type": _finding(_EVERY),
    "ours, with the claim": _claiming([50]),
    "source design": (SOURCE_SCAN, None),
}


def _timed(statement: str, values: dict[str, Any] | None) -> float:
    """Whoever looks takes nothing away: it is rolled back."""
    with transaction.atomic():
        begun = time.perf_counter()
        _rows(statement, values)
        took = time.perf_counter() - begun
        transaction.set_rollback(True)
    return took * 1000


def _rows(statement: str, values: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()
