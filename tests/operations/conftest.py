"""What the tests of operations share: dead letters by the hundred, a request, a worker."""

import time
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection

from dlqconsole.engine.access_scope import asking_lazily
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.operations import kinds
from dlqconsole.operations.models import LIVE, Operation
from dlqconsole.operations.requests import controls, service
from dlqconsole.operations.work import pacing, run
from tests.accounts import ALICE
from tests.asking import ask_for
from tests.celery_workers import celery  # noqa: F401 - a fixture
from tests.moving import as_claimed
from tests.plain_sql import column
from tests.with_sample_handlers import sample_handlers, started_with  # noqa: F401 - fixtures


@pytest.fixture(autouse=True)
def wakeups(monkeypatch) -> list[int]:
    """The wake-ups that would have gone to Celery; the tests are the worker themselves."""
    asked: list[int] = []
    monkeypatch.setattr(service, "wake", asked.append)
    monkeypatch.setattr(run, "wake", lambda operation_id, _after_seconds=0.0: asked.append(operation_id))
    monkeypatch.setattr(controls, "wake", asked.append)
    return asked


@pytest.fixture(autouse=True)
def quick(monkeypatch) -> None:
    monkeypatch.setattr(run, "REST_SECONDS", 0.1)
    # nobody consumes what these tests revive
    monkeypatch.setattr(pacing, "SILENT_SECONDS", 0.01)
    monkeypatch.setattr(pacing, "LOOK_SECONDS", 0.01)


@pytest.fixture
def letters() -> Callable[..., list[int]]:
    """letters(100, status="EXHAUSTED") inserts so many and returns their ids."""

    def insert(
        number: int,
        event_type: str = "order.created",
        payload: str = "{}",
        reason: str = "Refused: no",
        **columns: Any,
    ) -> list[int]:
        columns = as_claimed(columns)
        names = "".join(f", {name}" for name in columns)
        places = ", %s" * len(columns)
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO dlq_events (event_type, payload, error_reason, error_category{names})"
                f" SELECT %s, %s, %s, 'TRANSIENT'{places} FROM generate_series(1, %s)"
                " RETURNING id",
                [event_type, payload, reason, *columns.values(), number],
            )
            return sorted(row[0] for row in cursor.fetchall())

    return insert


def ask(
    kind: str, *, filter: dict[str, str] | None = None, key: UUID | None = None, **given: Any
) -> Operation:
    """Ask for an operation as alice, because of a test."""
    scope = {} if filter is None else {"filter": DeadLetterFilter.parse(filter)}
    return ask_for(kind, **({"actor": ALICE, "request_key": key} | scope | given))


def undo(operation: Operation) -> Operation:
    """Take an operation back, as alice."""
    return controls.undo(operation.pk, ALICE, "a mistake", uuid4())


def work(seconds: float = 90.0) -> None:
    """Be the worker until no operation is live."""
    deadline = time.monotonic() + seconds
    while Operation.objects.filter(status__in=LIVE).exists():
        with asking_lazily(None):
            run.take_up(5)
        assert time.monotonic() < deadline, list(Operation.objects.values())
        time.sleep(0.05)


def counts(operation: Operation) -> tuple[str, int, int, int, int]:
    """Status, selected, done, skipped, failed; after checking that they agree with the items."""
    operation.refresh_from_db()
    rows = column(
        "SELECT count(*) FILTER (WHERE status = 'done') || ',' || count(*) FILTER (WHERE status = 'skipped')"
        " || ',' || count(*) FILTER (WHERE status = 'failed')"
        " || ',' || count(*) FILTER (WHERE status = 'remaining') || ',' || count(*)"
        f" FROM {kinds.shown(operation.kind).items.table} WHERE operation_id = %s",
        operation.pk,
    )
    own = (operation.done, operation.skipped, operation.failed, operation.remaining, operation.selected)
    assert tuple(map(int, rows[0].split(","))) == own
    return (operation.status, operation.selected, operation.done, operation.skipped, operation.failed)


def statuses() -> dict[str, int]:
    """How many dead letters are in each state."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT status, count(*) FROM dlq_events GROUP BY 1")
        return dict(cursor.fetchall())


def messages() -> tuple[int, int]:
    """Messages of revivals, and distinct dead letters among them: equal, or something was revived twice."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), count(DISTINCT dlq_event_id) FROM message_queue")
        return cursor.fetchone()
