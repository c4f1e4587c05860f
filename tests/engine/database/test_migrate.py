"""manage.py migrate, by real processes on an empty database: one at a time, as long as it takes."""

import secrets

import psycopg
import pytest
from django.core.management import call_command
from psycopg.sql import SQL, Identifier

from dlqconsole.engine.database import sessions
from tests.command_line.processes import started
from tests.operations.processes import address_here
from tests.plain_sql import value

WAITS = "Another migrate is at work on this database: waiting until it has ended."


@pytest.fixture
def empty(test_database):
    """The URL of a database without a table."""
    name = f"empty_{secrets.token_hex(4)}"
    with psycopg.connect(address_here(), autocommit=True) as own:
        own.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(Identifier(name)))
        yield address_here().rpartition("/")[0] + f"/{name}"
        own.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def test_two_at_once_both_end_well(empty):
    commands = [started("migrate", database=empty) for _ in range(2)]
    ends = [(command.communicate(timeout=240), command.returncode) for command in commands]
    assert [status for _said, status in ends] == [0, 0], ends
    said = sorted((out for (out, _err), _status in ends), key=lambda out: WAITS in out)
    assert [WAITS in out for out in said] == [False, True]
    assert "No migrations to apply." in said[1]


@pytest.mark.django_db(transaction=True)
def test_it_and_the_rollups_have_no_limit(monkeypatch):
    """Of a million rows, an index or the figures take longer than a page may."""
    from django.core.management.commands import migrate

    from dlqconsole.engine.counts import rollups

    seen = []

    def look(*_arguments, **_options):
        seen.append(value("SHOW statement_timeout"))
        return []

    monkeypatch.setattr(rollups, "rebuild", look)
    monkeypatch.setattr(migrate.Command, "handle", look)
    call_command("rollups", "rebuild")
    call_command("migrate")
    look()
    assert seen == ["0", "0", "30s"]
    assert sessions.LIMITS["statement_timeout"] == "30s"
