"""In a database where another Django application has its tables in public, nothing of theirs changes."""

import pytest

from tests.core.catalog import catalog

pytestmark = pytest.mark.django_db(transaction=True)
STRANGER = """
import os
import dj_database_url
import django
from django.conf import settings
names = ("contenttypes", "auth", "sessions")
settings.configure(INSTALLED_APPS=[f"django.contrib.{name}" for name in names],
    DATABASES={"default": dj_database_url.parse(os.environ["DATABASE_URL"])})
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
call_command("migrate", verbosity=0)
User.objects.create_user("theirs", password="of-the-other-application")
"""
SIGN_IN = """
import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
call_command("migrate", verbosity=0)
User.objects.create_superuser("ann", password="a-long-enough-one")
client = Client(SERVER_NAME="localhost")
for name, password in (("theirs", "of-the-other-application"), ("ann", "a-long-enough-one")):
    print(client.post("/login/", {"username": name, "password": password}).status_code)
print(client.get("/").status_code, client.get("/readyz").status_code)
"""
TABLES = "auth_user", "auth_permission", "django_content_type", "django_migrations", "django_session"


def rows(database):
    return {
        table: database.execute(f"SELECT * FROM public.{table} ORDER BY 1").fetchall() for table in TABLES
    }


def test_all_of_ours_is_in_our_schema_and_all_of_theirs_as_it_was(run, database):
    run("public", "-c", STRANGER)
    before = catalog(database), rows(database)
    signed_in = run("dlq", "-c", SIGN_IN).stdout.split()
    assert (catalog(database), rows(database)) == before
    # of the two accounts only ours is known
    assert signed_in == ["200", "302", "200", "200"]
    ours = {thing.name for thing in catalog(database, "dlq") if thing.kind == "relation"}
    assert {*TABLES, "message_queue", "dlq_events", "schema_parts"} <= ours
