"""Ctrl-C ends a command with one line and the status that a shell knows, wherever it comes."""

import signal
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from dlqconsole.engine.models import Message
from dlqconsole.operations.models import Operation
from tests.command_line.processes import NOWHERE, started
from tests.plain_sql import rows, value
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)
INTERRUPTED = 130
LINE = "Interrupted.\n"
_SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
_IN_A_TRANSACTION = "state = 'idle in transaction'"
# Each look begins at another moment.
_LOOKS_AT_THE_OPERATION = """SELECT pid, query_start FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'idle' AND query LIKE 'SELECT "operations"."id"%'"""


def interrupted(command: subprocess.Popen) -> str:
    """What it says of that on the standard error."""
    command.send_signal(signal.SIGINT)
    said: str = command.communicate(timeout=60)[1]
    assert command.returncode == INTERRUPTED
    return said


@pytest.mark.parametrize(
    "module", ["django.core.management.base", "django.db.models", "django.contrib.contenttypes.models"]
)
def test_ctrl_c_while_a_command_is_still_imported_is_one_line(module):
    with started("queues", starter=_importing_aloud, database=NOWHERE) as command:
        while not (line := command.stderr.readline()).endswith(f" {module}\n"):
            assert line, f"it ended without importing {module}"
        said = interrupted(command).splitlines(keepends=True)
    assert [line for line in said if not line.startswith("import time:")] == [LINE]


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
        eventually(_somebody_looks_again_and_again(), 60)
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
            eventually(_somebody_waits_for_a_lock, 60)
            said = interrupted(command)
    assert f"Interrupted: nothing was exported to {target}.\n" in said
    assert not list(tmp_path.iterdir())


def _importing_aloud(arguments: list[str], **more: Any) -> subprocess.Popen:
    """Each module is named on the standard error as soon as it is imported."""
    python, *rest = arguments
    return subprocess.Popen([python, "-X", "importtime", *rest], **more)


def _somebody_is_in_a_transaction() -> bool:
    return _counted(_SESSIONS + _IN_A_TRANSACTION)


def _somebody_looks_again_and_again() -> Callable[[], bool]:
    """True at the third look: the first may come before the waiting."""
    looks: set[tuple] = set()

    def is_seen() -> bool:
        looks.update(rows(_LOOKS_AT_THE_OPERATION))
        return len(looks) > 2 and Operation.objects.exists()

    return is_seen


def _somebody_waits_for_a_lock() -> bool:
    return _counted("SELECT count(*) FROM pg_locks WHERE NOT granted")


def _counted(sql: str) -> bool:
    return bool(value(sql))
