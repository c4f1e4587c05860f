"""DLQ_HANDLERS that declare nothing: who would run them says so in one sentence, and ends with status 2."""

import os
import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.configuration.demo_environment import CHECKOUT
from dlqconsole.people.models import Scope
from tests.accounts import person, token_of

# a module that is there, and has no @handler
NONE = "examples.flights.events"
SENTENCE = f"DLQ_HANDLERS: '{NONE}' declares no @handler"


def test_a_worker_does_not_start():
    line = [sys.executable, "-m", "celery", "-A", "dlqconsole.celery", "worker", "--queues", "ticks"]
    broker = "redis://127.0.0.1:1/0"  # it is not asked
    environment = {**os.environ, "REDIS_URL": broker, "DLQ_HANDLERS": NONE, "PYTHONPATH": str(CHECKOUT)}
    ended = subprocess.run(line, env=environment, cwd=CHECKOUT, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, "Traceback" in ended.stderr) == (2, False)
    # before it, Celery warns of root
    assert ended.stderr.endswith(f"dlqconsole cannot start: {SENTENCE}\n")


@pytest.mark.parametrize("command", [("handlers",), ("consume", "orders"), ("retry_due",)])
@pytest.mark.django_db
def test_a_command_is_refused(settings, command):
    settings.DLQ_HANDLERS = NONE
    with pytest.raises(CommandError, match=SENTENCE) as refused:
        call_command(*command)
    assert refused.value.returncode == 2


def test_the_event_types_are_listed(settings, capsys):
    settings.DLQ_HANDLERS = "tests.sample_handlers"
    call_command("handlers")
    assert "order.created" in capsys.readouterr().out.splitlines()


@pytest.mark.django_db
def test_the_token_of_a_limited_person_lists_the_event_types_that_they_see(settings, capsys):
    settings.DLQ_HANDLERS = "tests.sample_handlers"
    vera = person("vera", "viewer")
    scope = Scope.objects.create(user_id=vera.removeprefix("user:"), event_type="order.cr*")
    settings.DLQ_TOKEN = token_of(vera)
    call_command("handlers")
    assert capsys.readouterr().out.splitlines() == ["order.created"]
    Scope.objects.filter(pk=scope.pk).update(event_type="none")
    call_command("handlers")
    assert capsys.readouterr().out == "None lies within your scope\n"
    settings.DLQ_TOKEN = "dlq_nonsense"
    with pytest.raises(CommandError, match="This token is not known here"):
        call_command("handlers")
