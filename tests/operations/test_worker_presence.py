"""That nobody works on operations is said where it matters: by what workers say in the database."""

import signal

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from dlqconsole.engine import known_handlers
from dlqconsole.engine.known_handlers import TICKS, WORK
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests import workers
from dlqconsole.waking import worker_command
from tests.operations.conftest import ask
from tests.waiting import eventually

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


def texts(client, operation: Operation) -> list[str]:
    """Health, overview, confirm page, receipt."""
    confirm = client.post(reverse("dlq:operation_confirm"), {"kind": "revive", "scope": "all", "filter": ""})
    addresses = (
        reverse("dlq:healthz"),
        reverse("dlq:overview"),
        reverse("dlq:operation", args=[operation.pk]),
    )
    health, overview, receipt = (client.get(address).content.decode() for address in addresses)
    assert health.startswith("ok")
    return [health, overview, confirm.content.decode(), receipt]


def says_so(text: str) -> bool:
    return workers.NOBODY.lower() in text.lower()


def test_where_no_worker_is_every_page_says_so_and_what_to_start(operator, letters):
    letters(3)
    operation = ask("revive", filter={})
    said = texts(operator, operation)
    assert [says_so(text) for text in said] == [True] * 4
    assert all(worker_command(WORK) in text for text in said[1:])
    # one that serves other queues is none
    ticks = known_handlers.presence_of_celery([TICKS])
    ticks.start()
    eventually(lambda: known_handlers.serving(TICKS))
    assert all(says_so(text) for text in texts(operator, operation))
    works = known_handlers.presence_of_celery([WORK, TICKS])
    works.start()
    eventually(lambda: known_handlers.serving(WORK))
    assert not any(says_so(text) for text in texts(operator, operation))
    for presence in (ticks, works):
        presence.stop()


def test_a_worker_says_that_it_lives_and_that_it_ends(celery):
    worker = celery("--queues", WORK)
    eventually(lambda: len(known_handlers.serving(WORK)) == 1)
    assert workers.warning() == ""
    worker.send_signal(signal.SIGTERM)
    worker.wait(60)
    assert known_handlers.serving(WORK) == []
    assert workers.warning()


def test_a_health_check_asks_the_database_for_this_machines_worker(capsys):
    with pytest.raises(CommandError, match="No such worker"):
        call_command("workers", "--queue", WORK, "--here")
    works = known_handlers.presence_of_celery([WORK])
    works.start()
    eventually(lambda: known_handlers.serving(WORK))
    call_command("workers", "--queue", WORK, "--here")
    assert f"  {WORK}  " in capsys.readouterr().out
    with pytest.raises(CommandError):
        call_command("workers", "--queue", TICKS)
    works.stop()
