"""A feature is present by its line of FEATURES: without it no page, command or tick shows a trace."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.apps import apps

from dlqconsole.core import schema
from tests.core.conftest import new_database  # noqa: F401

CHECKOUT = Path(__file__).parents[2]
# words that no page has without the features
WORDS = (
    "playbook", "drift", "have in common", "changes in payloads", "common-ground", "rehears", "sealed",
    "/archive/",
)  # fmt: skip
LOOK = """
import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command, get_commands
from django.db import connection
from django.test import Client
from dlqconsole.celery import app
from dlqconsole.configuration.settings import NAMES
from dlqconsole.core import messages, schema
from dlqconsole.core.handling import HandlerResult, Identity
from dlqconsole.engine.dead_letters.all_parts import parameters
from dlqconsole.engine.grants import rights
from dlqconsole.features import all_about
from dlqconsole.operations import kinds
from dlqconsole.pipeline.__main__ import commands
from dlqconsole.pipeline.settings import read_settings
from dlqconsole.processing.outcomes import Succeeded
from dlqconsole.runs import jobs
from dlqconsole.tables.features import feature_folders
from tests.contrib.test_left_out import WORDS

call_command("migrate", verbosity=0)
User.objects.create_superuser("ann")
client = Client(SERVER_NAME="localhost")
client.force_login(User.objects.get())
with connection.cursor() as cursor:
    cursor.execute("INSERT INTO dlq_events (event_type, payload, error_reason) VALUES ('x', '{}', 'E: no')"
        " RETURNING group_id")
    group = cursor.fetchone()[0]
    cursor.execute("SELECT id FROM dlq_events")
    letter = cursor.fetchone()[0]
confirm = {"kind": "revive", "scope": "rows", "ids": letter}
pages = ("/", "/dead-letters/?type=x", f"/dead-letters/{letter}/", f"/groups/{group}/", "/operations/",
    "/reports/", "/audit/", "/dead-letters/?q=7", "/runs/")
texts = [client.get(page).content.decode() for page in pages]
texts.append(client.post("/dead-letters/operations/", confirm).content.decode())
gone = ("/playbooks/", "/drift/", f"/groups/{group}/common-ground/", "/archive/", "/dead-letters/777/",
    "/api/v1/openapi.json")
print([client.get(page).status_code for page in gone])
print([word for word in WORDS if any(word in text.lower() for text in texts)])
print(all("</html>" in text for text in texts))
names = {"playbooks", "success_samples", "sample_policies", "common_grounds", "payload_shapes",
    "rehearsal_predictions", "audit_seals", "archive_files"}
ours = {"playbooks", "samples", "rehearse", "verify_audit", "archive"}
print(ours & {*get_commands()}, names & schema.names(feature_folders()))
print({"rehearse", "rehearsed", "archive"} & {*kinds.names(), *commands(), *parameters()})
print([job.name for job in jobs.every()])
figures = client.get("/metrics").content.decode() + client.get("/healthz").content.decode()
print([word for word in ("dlq_audit", "archive") if word in figures])
print([option.name for option in kinds.get("retry").options])
tasks = {*app.conf.task_routes, *(each["task"] for each in app.conf.beat_schedule.values())}
print([task for task in tasks if task.startswith(("playbooks", "insight", "sealing", "archive"))])
print([right for role in rights.ROLES for right in role.rights if right.table in names])
print("success" in all_about(), "rehears" in all_about())
print({"DLQ_SAMPLE_DAYS", "DLQ_AUDIT_KEY", "DLQ_ARCHIVE_DIR"} & NAMES)
messages.send("q", b"1")
[claim] = messages.claim("q", 1, "me", 60)
done = HandlerResult(Identity("x", "shop", "1"), Succeeded(None, "null"))
print(len(messages.complete_handled([(claim, done)])), read_settings().success_keepers)
"""


@pytest.mark.django_db(transaction=True)
def test_without_contrib_nothing_shows_it(new_database):  # noqa: F811
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
        "[404, 404, 404, 404, 404, 404]",
        "[]",
        "True",
        "set() set()",
        "set()",
        "['ingest', 'report', 'replay']",
        "[]",
        "['rate', 'full_speed', 'canary']",
        "[]",
        "[]",
        "False False",
        "set()",
        "1 ()",
    ]


def test_nothing_outside_its_folder_names_a_feature():
    folders = [Path(app.path) for app in apps.get_app_configs() if app.name.startswith("dlqconsole.contrib.")]
    tables = schema.names(folders) - {*schema.names(), *(folder.name for folder in folders)}
    paths = "|".join(rf"\bcontrib\W+{folder.name}" for folder in folders)
    names = re.compile(rf"\b({'|'.join(tables)}|{paths})\b")
    files = subprocess.check_output(["git", "ls-files", "dlqconsole", "templates"], cwd=CHECKOUT, text=True)
    # a catalogue says where its texts stand
    named = [
        name
        for name in files.splitlines()
        if not name.startswith(("dlqconsole/contrib/", "dlqconsole/console/locale/"))
        and names.search((CHECKOUT / name).read_text())
    ]
    assert named == ["dlqconsole/configuration/installed_apps.py"]
