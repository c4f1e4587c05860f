"""The kept database of each version, upgraded by this one, equals a new one; and its rows still work."""

import os
import re

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from dlqconsole import __version__
from dlqconsole.configuration.demo_environment import CHECKOUT
from tests.core.catalog import Thing, catalog
from tests.database import ACCOUNTS, SEEN
from tests.own_schema.conftest import database, new_database, run  # noqa: F401 - fixtures
from tests.upgrades import frozen

CASTS = re.compile(r"::(?:text|character varying)(?:\(\d+\))?(?:\[\])?|[()\s]")
pytestmark = pytest.mark.django_db(transaction=True)
# what went on in the old version goes on in the new one
GO_ON = """
import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from dlqconsole.core import messages
from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.operations.models import LIVE, Operation
from dlqconsole.operations.requests import controls
from dlqconsole.operations.work import run

call_command("rollups", "check", verbosity=0)
client = Client(SERVER_NAME="localhost")
client.force_login(User.objects.get(username="ann"))
pages = ["/", "/dead-letters/", "/queues/", "/queues/kept/", "/operations/", "/audit/", "/readyz"]
pages += [f"/operations/{each.pk}/" for each in Operation.objects.all()]
print({client.get(page).status_code for page in pages})
with asking_as(EVERYTHING):
    controls.resume(Operation.objects.get(status="paused").pk, "user:1")
    while live := Operation.objects.filter(status__in=LIVE).first():
        run.run(live.pk)
    print(sorted(Operation.objects.values_list("kind", "selected", "done")))
    print(len(messages.claim("orders", 9, "a new consumer", 60)))
call_command("verify_audit")
"""
CHANGED = """
The schema of {version} is not what its kept database becomes (tests/upgrades/schema-{version}.sql):
{things}
Until {version} is tagged, run `python -m tools freeze_schema` and commit the file with your change.
Once it is tagged, never: write a numbered file in changes/ (docs/architecture.md says how).
"""


@pytest.fixture
def fresh():
    """A new database of this version."""
    name = f"test_{os.environ['DLQ_TEST_RUN']}"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(
            SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(f"{name}_fresh"), Identifier(name))
        )
        with psycopg.connect(os.environ["DATABASE_URL"], dbname=f"{name}_fresh") as own:
            for table in ACCOUNTS:
                own.execute(SEEN.format(table))
            yield own
        server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(f"{name}_fresh")))


@pytest.mark.slow
@pytest.mark.parametrize("version", frozen.versions())
def test_a_kept_database_and_its_upgrades_are_a_new_one(version, run, database, fresh):  # noqa: F811
    frozen.restore(version, database)
    # as if each file had changed since
    database.execute("UPDATE schema_parts SET digest = ''")
    rows = count(database)
    run("public", "manage.py", "migrate")
    things = sorted(meant(catalog(database)) ^ meant(catalog(fresh)))
    names = "\n".join(f"{thing.kind} {thing.name}" for thing in things)
    assert not things, CHANGED.format(version=version, things=names)
    assert count(database) == rows
    said = run("public", "-c", GO_ON).stdout.splitlines()
    assert said == []


def test_this_version_is_kept():
    assert __version__ in frozen.versions(), "Run python -m tools freeze_schema before you tag it."
    assert f"## [{__version__}]" in (CHECKOUT / "CHANGELOG.md").read_text(), "Say there what it has."


def meant(things: set[Thing]) -> set[Thing]:
    """Things without casts and brackets: a restored expression has other ones, after pg_dump for ever."""
    return {
        thing if thing.kind == "function" else thing._replace(definition=CASTS.sub("", thing.definition))
        for thing in things
    }


def count(database):  # noqa: F811
    """How many rows of each kind there are."""
    counts = "SELECT count(*), count(DISTINCT status) FROM dlq_events"
    for table in ("message_queue", "message_archive", "dlq_attempts", "operation_items"):
        counts += f" UNION ALL SELECT count(*), 0 FROM {table}"
    return database.execute(counts).fetchall()
