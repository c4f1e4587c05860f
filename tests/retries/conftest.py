"""What the tests of the schedule share: handlers, dead letters, a free lock."""

from collections.abc import Callable
from typing import Any

import pytest

from dlqconsole.engine.database import sessions
from dlqconsole.retries import run as retry_run
from tests.celery_workers import celery  # noqa: F401 - a fixture
from tests.moving import as_claimed
from tests.plain_sql import column
from tests.with_sample_handlers import sample_handlers, started_with  # noqa: F401 - fixtures


@pytest.fixture(autouse=True)
def free_lock(db, monkeypatch) -> None:
    """Nobody holds the lock, and whoever takes it lets go at once."""
    monkeypatch.setattr(retry_run, "LOCK_AT_LEAST_SECONDS", 0.0)
    # committed at once: a lock's own connection would wait for this test's transaction
    with sessions.own_connection() as own:
        own.execute("DELETE FROM shedlock")


@pytest.fixture
def letters() -> Callable[..., list[int]]:
    """letters(100, payload='{"do": "transient"}') inserts so many and returns their ids."""

    def insert(number: int, payload: str = "{}", **columns: Any) -> list[int]:
        values = {"error_reason": "Refused: no", "error_category": "TRANSIENT"} | as_claimed(columns)
        places = ", %s" * len(values)
        return column(
            f"INSERT INTO dlq_events (event_type, payload, {', '.join(values)})"
            f" SELECT 'order.created', %s{places} FROM generate_series(1, %s) RETURNING id",
            payload, *values.values(), number,
        )  # fmt: skip

    return insert
