"""Everything works in a schema of its own, and is there."""

import pytest

pytestmark = pytest.mark.django_db(transaction=True)
WORK = """
import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from dlqconsole.core import messages
from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.settings import read_settings

call_command("migrate", verbosity=0)
messages.send("order.created", '{"do": "business"}')
call_command("consume", "order.created", until_empty=True)
User.objects.create_superuser("ann")
client = Client(SERVER_NAME="localhost")
client.force_login(User.objects.get())
pages = ("/", "/dead-letters/", "/queues/", "/schedules/", "/healthz", "/readyz")
print({client.get(page).status_code for page in pages})
call_command("grants", prefix="schema_test_", apply=False)
with connect(read_settings().database_url, "test") as pipeline:
    print(pipeline.execute("SELECT current_schemas(false), count(*) FROM dlq_events").fetchone())
"""
WHERE = "SELECT count(*) FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'r'"
PATHS = "SELECT DISTINCT unnest(proconfig) FROM pg_proc WHERE pronamespace = 'letters'::regnamespace"


def test_everything_works_in_a_schema_of_its_own(run, database):
    _outcome, pages, *grants, pipeline = run("letters", "-c", WORK).stdout.splitlines()
    assert pages == "{200}"
    assert pipeline == "(['letters'], 1)"
    assert "public" not in "\n".join(grants).replace("FROM PUBLIC", "")
    assert 'ON SCHEMA "letters"' in "\n".join(grants)
    assert database.execute(WHERE, ["public"]).fetchone() == (0,)
    assert database.execute(WHERE, ["letters"]).fetchone()[0] > 60
    # nor does any function look into public
    paths = {path for (path,) in database.execute(PATHS) if path.startswith("search_path")}
    assert paths == {"search_path=letters, pg_temp", "search_path=pg_catalog, pg_temp"}
