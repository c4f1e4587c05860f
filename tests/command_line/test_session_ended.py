"""A session that the database ends amid a COPY is one sentence of the command, and what it wrote is gone."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import OperationalError, connection, transaction
from psycopg.sql import SQL

from dlqconsole.core import messages
from dlqconsole.core.messages import NewMessage
from dlqconsole.core.named_sql import copy_rows
from dlqconsole.engine.database import sessions
from dlqconsole.engine.models import Message
from tests.command_line.processes import started
from tests.plain_sql import rows
from tests.waiting import eventually

COPY = SQL("COPY audit_log TO STDOUT")
pytestmark = pytest.mark.django_db(transaction=True)
_COPIES = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%COPY %'"
)


@contextmanager
def nobody_reads(table: str) -> Iterator[None]:
    with sessions.own_connection() as holder, holder.transaction():
        holder.execute(f"LOCK TABLE {table}")
        yield


def end_who_copies() -> None:
    def ended() -> bool:
        return bool(rows(_COPIES))

    eventually(ended, 60)


def test_an_export_ends_in_one_line_and_leaves_no_file(letter, tmp_path):
    letter("order.created")
    target = str(tmp_path / "out.csv")
    with nobody_reads("dlq_events"), started("deadletters", "export", "--all", "--output", target) as command:
        end_who_copies()
        said = command.communicate(timeout=60)[1]
    assert command.returncode == 1
    assert said.startswith("CommandError: ")
    assert "terminating connection" in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())


def send():
    messages.send_many("orders", [NewMessage("{}", priority=1)] * 60)


def read_the_log():
    with transaction.atomic(), connection.cursor() as cursor, copy_rows(cursor, COPY) as copy:
        list(copy)


@pytest.mark.parametrize(("table", "step"), [("message_queue", send), ("audit_log", read_the_log)])
def test_who_calls_gets_the_error_that_django_raises(table, step):
    raised = []

    def run() -> None:
        try:
            step()
        except OperationalError as error:
            raised.append(str(error))
        finally:
            connection.close()

    caller = threading.Thread(target=run)
    with nobody_reads(table):
        caller.start()
        end_who_copies()
        caller.join(60)
    assert "terminating connection" in raised[0]
    assert not Message.objects.exists()
