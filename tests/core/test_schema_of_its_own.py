"""DLQ_SCHEMA: all of it lives beside the tables of others, and works there."""

import os
import subprocess
import sys

import pytest

WORK = """
import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from dlqconsole.core import messages
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.sealing.tables import problems
from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.settings import read_settings

call_command("migrate", verbosity=0)
messages.send("order.created", '{"do": "business"}')
call_command("consume", "order.created", until_empty=True)
User.objects.create_superuser("ann")
client = Client(SERVER_NAME="localhost")
client.force_login(User.objects.get())
pages = ("/", "/dead-letters/", "/queues/", "/schedules/", "/healthz")
print([client.get(page).status_code for page in pages])
print(problems())
call_command("grants", prefix="schema_test_", apply=False)
with connect(read_settings().database_url, "test") as pipeline:
    print(pipeline.execute("SELECT current_schema(), count(*) FROM dlq_events").fetchone())
"""
WHERE = "SELECT count(*) FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'r'"


@pytest.mark.django_db(transaction=True)
def test_everything_works_in_a_schema_of_its_own(new_database):
    own = new_database()
    url = f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{own.info.dbname}"
    settings = {"DATABASE_URL": url, "DLQ_SCHEMA": "letters", "DLQ_HANDLERS": "tests.sample_handlers"}
    program, environment = [sys.executable, "-c", WORK], os.environ | settings
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    _outcome, *said = done.stdout.splitlines()
    assert said[0] == "[200, 200, 200, 200, 200]"
    assert said[1] == "[]"
    assert said[-1] == "('letters', 1)"
    grants = "\n".join(said[2:-1])
    assert "public." not in grants
    assert 'ON SCHEMA "letters"' in grants
    assert own.execute(WHERE, ["public"]).fetchone() == (0,)
    assert own.execute(WHERE, ["letters"]).fetchone()[0] > 60
