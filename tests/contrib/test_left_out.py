"""A feature is present by its line of INSTALLED_APPS: without it no page, command or tick shows a trace."""

import os
import subprocess
import sys

import pytest

from tests.core.conftest import new_database  # noqa: F401
from tests.without_contrib import INSTALLED_APPS

# what features bring: words of pages, commands, tables and ticks
LOOK = """
WORDS = ("playbook", "sealed", "verified", "/archive/")
COMMANDS = {"playbooks", "verify_audit", "archive"}
TABLES = {"playbooks", "audit_seals", "archive_files"}
TASKS = ("playbooks.tick", "sealing.seal", "sealing.verify", "archive.ask")

import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command, get_commands
from django.test import Client
from dlqconsole.celery import app
from dlqconsole.core import schema
from dlqconsole.runs import jobs
from dlqconsole.tables.features import feature_folders

call_command("migrate", verbosity=0)
User.objects.create_superuser("ann")
client = Client(SERVER_NAME="localhost")
client.force_login(User.objects.get())
pages = ("/", "/dead-letters/?type=x", "/dead-letters/?q=7", "/operations/", "/audit/", "/runs/")
texts = [client.get(page).content.decode() for page in pages]
print([client.get(page).status_code for page in ("/playbooks/", "/archive/", "/dead-letters/7/")])
print([word for word in WORDS if any(word in text.lower() for text in texts)])
print(all("</html>" in text for text in texts))
print(COMMANDS & get_commands().keys(), TABLES & schema.names(feature_folders()))
print([task for task in TASKS if task in app.conf.task_routes])
figures = client.get("/metrics").content.decode()
print([word for word in ("dlq_audit", "dlq_archive") if word in figures])
print("archive" in client.get("/healthz").content.decode(), [job.name for job in jobs.every()])
"""


@pytest.mark.django_db(transaction=True)
def test_without_contrib_nothing_shows_it(new_database):  # noqa: F811
    assert "dlqconsole.console" in INSTALLED_APPS
    server = os.environ["DATABASE_URL"].rpartition("/")[0]
    url = f"{server}/{new_database().info.dbname}"
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "tests.without_contrib", "DATABASE_URL": url}
    done = subprocess.run(
        [sys.executable, "-c", LOOK],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "[404, 404, 404]",
        "[]",
        "True",
        "set() set()",
        "[]",
        "[]",
        "False ['ingest', 'report', 'rehearse', 'replay']",
    ]
