"""Through a real PgBouncer in transaction mode: pages, producers, operations and the schedule work.

A consumer needs a direct line, and says so.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dlqconsole.engine.models import DeadLetter, Message
from dlqconsole.operations.models import Operation
from dlqconsole.system.errors import RuntimeProblem
from tests.asking import ask_for
from tests.command_line.processes import ended
from tests.conftest import signed_in
from tests.operations.processes import address_here
from tests.plain_sql import row
from tests.pooler.bouncer import bouncer, left_behind

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).parents[2]
HANDLERS = {"DLQ_HANDLERS": "tests.sample_handlers"}
# what is refused unless it is told to drop it, and then is dropped without a word
DROPPING = "ignore_startup_parameters = options"
NOTHING_LEFT = {("0", 0)}


@pytest.fixture(params=["", DROPPING], ids=["strict", "dropping"])
def pooler(request):
    try:
        with bouncer(request.param) as url:
            yield url
    except RuntimeProblem as problem:
        pytest.skip(str(problem))


def run(url: str, *arguments: str, given: str = "", **more: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | HANDLERS | {"DATABASE_URL": url} | more,
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_every_page_answers_and_each_statement_has_its_limit(pooler, letter):
    signed_in("admin")
    letter(), letter()
    done = run(pooler, "-m", "tests.pooler.browsing")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found["pages"].values()) == {200}, found["pages"]
    assert found["limits"] == ["30s", "10s"]
    assert found["streamed"] == 2
    assert found["cut off"] == ["canceling statement due to statement timeout"] * 2
    assert left_behind(pooler) == NOTHING_LEFT


def test_producers_operations_and_the_schedule_work(pooler, letter):
    sent = run(pooler, "manage.py", "send", "order.created", given='{"order_id": 1}\n{"order_id": 2}\n')
    assert sent.returncode == 0, sent.stderr
    assert Message.objects.count() == 2
    due = letter(event_type="order.created", payload={"order_id": 3}, retry_after="2026-01-01T00:00:00Z")
    retried = run(pooler, "manage.py", "retry_due")
    assert retried.returncode == 0, retried.stderr
    assert DeadLetter.objects.get(pk=due).status == "SUCCEEDED"
    letters = [letter() for _ in range(30)]
    operation = ask_for("discard", actor="cli:root", ids=letters)
    worked = run(
        pooler,
        *("-c", "import django; django.setup(); from dlqconsole.operations.work import run; run.take_up(5)"),
    )
    assert worked.returncode == 0, worked.stderr
    assert Operation.objects.get(pk=operation.pk).done == 30
    assert left_behind(pooler) == NOTHING_LEFT


def test_a_consumer_takes_its_direct_line(pooler):
    run(pooler, "manage.py", "send", "order.created", given='{"order_id": 1}\n')
    consume = ("manage.py", "consume", "order.created", "--until-empty")
    done = run(pooler, *consume, DLQ_DIRECT_DATABASE_URL=address_here())
    assert done.returncode == 0, done.stderr
    assert "1 completed" in done.stdout
    assert left_behind(pooler) == NOTHING_LEFT


@pytest.mark.parametrize("command", [("consume", "order.created"), ("migrate",)], ids=["consume", "migrate"])
def test_what_needs_one_says_so_at_its_start(pooler, command):
    status, complaints = ended(*command, database=pooler)
    assert status == 1
    (line,) = [line for line in complaints.splitlines() if "pooler" in line]
    assert line.startswith("CommandError: DATABASE_URL leads through a pooler")
    assert "Set DLQ_DIRECT_DATABASE_URL" in line
    assert "Traceback" not in complaints


def test_on_a_direct_line_a_session_keeps_its_limits():
    assert row("SHOW statement_timeout") == ("30s",)
    assert row("SELECT count(*) FROM pg_settings WHERE name = 'lock_timeout' AND source = 'session'") == (1,)
