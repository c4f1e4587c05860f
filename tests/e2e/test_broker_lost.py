"""PostgreSQL is the only truth: Valkey is emptied and restarted in the middle of an operation."""

import secrets
import subprocess
import time
from pathlib import Path

import pytest
import redis

from dlqconsole.engine.models import Message
from dlqconsole.operations.models import Operation, Status
from dlqconsole.running.ports import free_port
from tests.asking import ask_for
from tests.brokers import an_app_whose_broker_is_away
from tests.plain_sql import execute
from tests.waiting import as_soon_as, eventually
from tools.valkey import Valkey

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def broker(tmp_path: Path):
    """A Valkey of the test's own: .start(), .process, .url()."""
    server = Valkey(tmp_path / "valkey", free_port(), secrets.token_urlsafe(8), secrets.token_urlsafe(8))
    server.prepare()

    def start() -> subprocess.Popen[bytes]:
        server.process = subprocess.Popen(server.command(), stdout=subprocess.DEVNULL)
        eventually(server.is_ready, 10)
        return server.process

    server.start = start
    start()
    yield server
    server.process.kill()
    server.process.wait()


def test_an_operation_completes_without_help_when_the_broker_forgets_everything(broker, worker, letter):

    execute(
        "INSERT INTO dlq_events (event_type, payload, error_reason)"
        " SELECT 'order.created', '{}', 'Down: ' || n FROM generate_series(1, 20000) n"
    )
    worker(REDIS_URL=broker.url(), DLQ_OPERATION_PAGE="100")
    operation = ask_for("revive", actor="ann", expected=20_000)

    def done() -> int:
        return Operation.objects.get(pk=operation.pk).done

    as_soon_as(lambda: done() > 0)
    redis.Redis.from_url(broker.admin_url()).flushall()
    broker.process.kill()
    broker.process.wait()
    assert done() < 20_000, "the operation was over before the broker went"
    time.sleep(2)
    broker.start()
    eventually(lambda: Operation.objects.get(pk=operation.pk).status == Status.COMPLETED, 60)
    assert done() == Message.objects.count() == 20_000


def test_a_running_operation_goes_on_without_the_broker(broker, worker):
    """For longer than a tick's 30 seconds: nobody hears that there is more, so the worker does it itself."""

    execute(
        "INSERT INTO dlq_events (event_type, payload, error_reason)"
        " SELECT 'order.created', '{}', 'Down: ' || n FROM generate_series(1, 1600) n"
    )
    worker(REDIS_URL=broker.url(), DLQ_OPERATION_PAGE="100")
    operation = ask_for("discard", actor="ann", expected=1_600, rate=40)
    as_soon_as(lambda: Operation.objects.get(pk=operation.pk).done > 0)
    broker.process.kill()
    broker.process.wait()
    eventually(lambda: Operation.objects.get(pk=operation.pk).status == Status.COMPLETED)
    assert Operation.objects.get(pk=operation.pk).done == 1_600


def test_an_operation_asked_for_while_the_broker_is_away_is_carried_out_later(
    broker, worker, letter, monkeypatch
):
    letter()
    monkeypatch.setattr("dlqconsole.celery.app", an_app_whose_broker_is_away())
    ask_for("discard", actor="ann", expected=1)
    worker(REDIS_URL=broker.url())
    eventually(lambda: Operation.objects.get().status == Status.COMPLETED)
