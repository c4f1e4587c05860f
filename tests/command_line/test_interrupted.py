"""Ctrl-C ends a command with one line and the status that a shell knows, wherever it comes."""

import signal
import subprocess
import time

import pytest
from django.db import connection, transaction

from dlqconsole.engine.models import Message
from dlqconsole.operations.models import Operation
from tests.command_line.processes import NOWHERE, started
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)
INTERRUPTED = 130
LINE = "Interrupted.\n"
_IDLE = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND state = 'idle in transaction'"
)


def interrupted(command: subprocess.Popen) -> str:
    """What it says of that on the standard error."""
    command.send_signal(signal.SIGINT)
    said: str = command.communicate(timeout=60)[1]
    assert command.returncode == INTERRUPTED
    return said


@pytest.mark.parametrize(
    ("arguments", "seconds"), [(("queues",), 0.1), (("consume", "a"), 0.2), (("retry_due",), 0.3)]
)
def test_ctrl_c_while_a_command_is_still_imported_is_one_line(arguments, seconds):
    with started(*arguments, starter=subprocess.Popen, database=NOWHERE) as command:
        time.sleep(seconds)
        assert interrupted(command) == LINE


def test_ctrl_c_while_a_command_works_is_one_line_and_nothing_is_half_done():
    with started("send", "orders") as command:
        command.stdin.write('{"order_id": 1}\n')
        command.stdin.flush()
        eventually(_somebody_is_in_a_transaction, 60)
        assert interrupted(command) == LINE
    assert not Message.objects.exists()


def test_ctrl_c_while_waiting_says_that_the_operation_goes_on_and_how_to_end_it(letter):
    letter("order.created")
    with started("deadletters", "discard", "--all", "--because", "a test", "--wait") as command:
        eventually(Operation.objects.exists, 60)
        time.sleep(1)  # it wakes a worker, of which there is none, and begins to wait
        line = interrupted(command).splitlines()[-1]
    operation = Operation.objects.get()
    assert f"Operation {operation.pk} goes on" in line
    assert f"/operations/{operation.pk}/" in line
    assert f"manage.py deadletters cancel {operation.pk}" in line
    assert operation.is_live


def test_an_export_that_is_interrupted_leaves_no_file(letter, tmp_path):
    letter("order.created")
    target = tmp_path / "out.csv"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE dlq_events")
        with started("deadletters", "export", "--all", "--output", str(target)) as command:
            eventually(lambda: list(tmp_path.iterdir()), 60)
            time.sleep(0.5)
            said = interrupted(command)
    assert f"Interrupted: nothing was exported to {target}.\n" in said
    assert not list(tmp_path.iterdir())


def _somebody_is_in_a_transaction() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_IDLE)
        return bool(cursor.fetchone()[0])
