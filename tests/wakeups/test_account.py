"""The broker's account may do what wake-ups need and no more: a real Valkey, worker, beat, web's sender."""

import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
import yaml
from redis.exceptions import NoPermissionError

from dlqconsole.celery import app
from dlqconsole.engine import known_handlers
from dlqconsole.engine.known_handlers import WORK
from dlqconsole.operations.models import LIVE, Operation
from dlqconsole.running.ports import free_port
from dlqconsole.waking import EXPIRES_SECONDS
from tests.celery_workers import celery  # noqa: F401 - a fixture
from tests.operations.conftest import ask, counts, letters, wakeups  # noqa: F401 - fixtures
from tests.waiting import eventually
from tools.valkey import ACCESS, ACCOUNT, Valkey

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Valkey]:
    server = Valkey(tmp_path / "valkey", free_port(), secrets.token_urlsafe(8), secrets.token_urlsafe(8))
    server.prepare()
    process = subprocess.Popen(server.command(), stdout=subprocess.DEVNULL)
    eventually(server.is_ready)
    yield server
    process.kill()
    process.wait()


def refused(broker: Valkey) -> list[tuple[str, str]]:
    """What was refused to whom, of all that anybody has asked."""
    return [(row["username"], row["object"]) for row in redis.from_url(broker.admin_url()).acl_log()]


def send(broker: Valkey, operation: Operation) -> None:
    """As the web wakes a worker, now and later: the product's own application, by another connection."""
    with app.connection_for_write(broker.url()) as connection:
        for seconds in (None, 0.5):
            app.send_task(
                "operations.run",
                args=[operation.pk],
                countdown=seconds,
                expires=EXPIRES_SECONDS,
                connection=connection,
            )


def test_wakeups_ticks_and_the_end_of_a_worker_need_no_more(broker, letters, celery):  # noqa: F811
    letters(50)
    operation = ask("revive", filter={})
    # no beat: only the wake-up can do it
    worker = celery(REDIS_URL=broker.url())
    eventually(lambda: known_handlers.serving(WORK))
    send(broker, operation)
    eventually(lambda: not Operation.objects.filter(status__in=LIVE).exists())
    assert counts(operation) == ("completed", 50, 50, 0, 0)
    letters(20)
    ticked = ask("revive", filter={"status": "PENDING"})
    # what it has not done yet goes back to its queue, and to the next worker
    worker.terminate()
    worker.wait(60)
    celery("-B", REDIS_URL=broker.url())
    eventually(lambda: not Operation.objects.filter(status__in=LIVE).exists())
    assert counts(ticked) == ("completed", 20, 20, 0, 0)
    assert refused(broker) == []


def test_it_may_neither_look_around_nor_empty_nor_administer(broker):
    account = redis.from_url(broker.url())
    assert account.ping()
    assert account.lpush("dlqconsole:x", "y") == 1
    for command in (
        "KEYS *", "SCAN 0", "CONFIG GET *", "FLUSHALL", "FLUSHDB", "SHUTDOWN", "INFO", "MONITOR", "ACL LIST",
        "CLIENT LIST", "EVAL return 0", "SAVE", "REPLICAOF NO ONE", "MODULE LIST",
        "PUBLISH dlqconsole:x y", "SUBSCRIBE x", "SET other:x y", "LPUSH x y", "GET x",
    ):  # fmt: skip
        with pytest.raises(NoPermissionError):
            account.execute_command(*command.split())
    for password in (broker.password, ""):
        with pytest.raises(redis.AuthenticationError):
            redis.Redis(port=broker.port, password=password or None).ping()


def test_no_command_of_it_administers_or_endangers(broker):
    admin = redis.from_url(broker.admin_url())
    allowed = {word[1:].partition("|")[0] for word in ACCESS.split() if word.startswith("+")}
    for category in ("admin", "dangerous"):
        assert not allowed & {name.partition("|")[0] for name in admin.acl_cat(category)} - {"client"}


def test_compose_and_the_docs_have_the_same_line():
    compose = yaml.safe_load((CHECKOUT / "compose.yaml").read_text())
    assert compose["services"]["redis"]["environment"]["ACCESS"] == ACCESS
    assert f"redis://{ACCOUNT}:" in compose["services"]["web"]["environment"]["REDIS_URL"]
    words = " ".join((CHECKOUT / "docs" / "security.md").read_text().split())
    assert ACCESS in words
