"""What a history needs: its handlers, a queue of another system, and nobody else who works."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from dlqconsole.operations.requests import controls, service
from dlqconsole.operations.work import run as operations
from dlqconsole.retries import run as retry_run
from dlqconsole.system.errors import RuntimeProblem
from dlqconsole.transports import attachments
from tests.histories.postgresql_15 import database_on_15
from tests.histories.rules.base import ATTACHED, REMOTE
from tests.histories.rules.scheduling import HANDLERS
from tests.pgmq_sql import pgmq_sql
from tests.plain_sql import execute, value


@pytest.fixture
def alone(monkeypatch, settings) -> Iterator[None]:
    """This process is the consumer and the worker, and waits for nobody."""
    settings.DLQ_HANDLERS = HANDLERS
    # a long history fails as often as in an outage
    settings.DLQ_BREAKER_FAILURES = 0
    for module in (service, operations, controls):
        monkeypatch.setattr(module, "wake", lambda *_args: None)
    monkeypatch.setattr(operations, "REST_SECONDS", 0.0)
    monkeypatch.setattr(retry_run, "LOCK_AT_LEAST_SECONDS", 0.0)


@pytest.fixture
def theirs(alone, transactional_db) -> Iterator[None]:
    """The tests' database, with a PGMQ queue that is attached."""
    with pgmq_queue():
        yield


@pytest.fixture
def on_15(alone, django_db_blocker) -> Iterator[None]:
    """The same on a PostgreSQL 15 of its own."""
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        try:
            stack.enter_context(database_on_15())
        except RuntimeProblem as problem:
            pytest.skip(str(problem))
        stack.enter_context(pgmq_queue())
        yield


@contextmanager
def pgmq_queue() -> Iterator[None]:
    if value("SELECT to_regclass('pgmq.meta')") is None:
        execute(pgmq_sql())
    execute("SELECT pgmq.create(%s)", REMOTE)
    attachments.attach(ATTACHED, actor="test")
    yield
    execute("SELECT pgmq.drop_queue(%s)", REMOTE)
