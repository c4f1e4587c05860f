# ruff: noqa: E402
"""``python play.py`` migrates the shop, lets its tasks fail, revives them, and prints what it saw."""

import json
import os
import subprocess
import sys
from datetime import timedelta

os.environ["DJANGO_SETTINGS_MODULE"] = "shop.settings"

import django

django.setup()

import dlq
from django.core.management import call_command
from django.tasks.signals import task_finished
from django.utils import timezone
from django_tasks_db import DatabaseBackend
from django_tasks_db.models import DBTaskResult
from shop.tasks import FOLDER, charge, charge_async

from dlqconsole.core.errors import EngineError
from dlqconsole.hosting.database import connection
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.django_tasks import steps
from tests.waiting import eventually

WORKER = ("-m", "django", "db_worker", "--interval=0.1", "--queue-name=default,mails", "--no-startup-delay")
BROKEN = FOLDER / "broken"
seen = {}


def rows(query, *values):
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchall() if cursor.description else []


def letter(key):
    """The dead letter of a task, as soon as it is there."""
    query = "SELECT row_to_json(d)::text FROM dlq_events d WHERE source_key = %s"
    eventually(lambda: rows(query, str(key)), 20)
    [(text,)] = rows(query, str(key))
    found = json.loads(text)
    found["attempts"] = rows(
        "SELECT kind, outcome, error_reason FROM dlq_attempts WHERE dlq_event_id = %s ORDER BY id",
        found["id"],
    )
    return found


def revive(key, **expected):
    """Put it back, and let the relay go round until the dead letter is as expected."""
    rows("SELECT dead_letter_revive(%s)", letter(key)["id"])
    relay.run_once()
    return until(key, **expected)


def until(key, **expected):
    def is_so():
        relay.run_once()
        return expected.items() <= letter(key).items()

    eventually(is_so, 20)
    return letter(key)


def enqueue(task, *args, **kwargs):
    return task.enqueue(*args, **kwargs).id


def newest():
    return DBTaskResult.objects.order_by("-enqueued_at").first()


def refusal(queue):
    try:
        attachments.attach(queue, actor="test")
    except EngineError as error:
        return str(error)


def play():
    BROKEN.touch()
    seen["refused"] = [refusal("django-tasks:crm"), refusal("django-tasks:shop")]

    key = enqueue(charge, "7", 2**70, currency="EUR")
    seen["failed"] = {"key": key, **letter(key)}
    seen["failed again"] = revive(key, status="PENDING", occurrences=2)
    BROKEN.unlink()
    seen["closed"] = revive(key, status="SUCCEEDED")
    seen["done"] = (FOLDER / "done").read_text().splitlines()

    BROKEN.touch()
    key = enqueue(charge, "by other means")
    letter(key)
    BROKEN.unlink()
    DBTaskResult.objects.filter(pk=key).update(status="READY")
    seen["by other means"] = until(key, status="SUCCEEDED")

    BROKEN.touch()
    key = enqueue(charge.using(queue_name="mails", priority=5), "routed")
    letter(key)
    rows("SELECT dead_letter_revive(%s)", letter(key)["id"])
    relay.run_once()
    seen["routed"] = [newest().queue_name, newest().priority, newest().backend_name, newest().args_kwargs]
    until(key, occurrences=2)

    # what a backend says that has no exception any more
    task_finished.send(DatabaseBackend, task_result=DBTaskResult.objects.get(pk=key).task_result)
    dlq.flush(10)
    seen["kept"] = until(key, occurrences=3)

    seen["async"] = letter(enqueue(charge_async, "7"))

    # the relay ends after its own commit, before the tasks' database has committed
    key, forward = enqueue(charge, "half"), steps.steps.forward
    letter(key)
    before = DBTaskResult.objects.count()
    rows("SELECT dead_letter_revive(%s)", letter(key)["id"])

    def forward_and_die(*arguments):
        forward(*arguments)
        raise EngineError("the end")

    steps.steps.forward = forward_and_die
    relay.run_once()
    steps.steps.forward = forward
    seen["half"] = until(key, status="PENDING")
    seen["half made"] = DBTaskResult.objects.count() - before

    # failed without a word
    key = enqueue(charge, "silent")
    elsewhere = "UPDATE dlq_events SET headers = jsonb_set(headers, '{django_task,queue}', %s) WHERE id = %s"
    rows(elsewhere, '"nobody"', letter(key)["id"])
    rows("SELECT dead_letter_revive(%s)", letter(key)["id"])
    relay.run_once()
    values = {"status": "FAILED", "exception_class_path": "builtins.ImportError"}
    DBTaskResult.objects.filter(pk=newest().pk).update(**values, finished_at=timezone.now())
    relay.run_once()
    seen["silent, just now"] = letter(key)
    DBTaskResult.objects.filter(pk=newest().pk).update(finished_at=timezone.now() - timedelta(minutes=11))
    seen["silent"] = until(key, status="PENDING")

    key = enqueue(charge.using(backend="at_once"), "now")
    seen["at once"] = revive(key, status="PENDING", revive_count=1)
    seen["told"] = {}
    for number, path in enumerate(("antigravity.nothing", "shop.tasks.ask_the_bank", "shop.tasks.gone")):
        rows(
            "SELECT dead_letter_report('x', %s, 'no', source => 'django-tasks:shop', source_key => %s,"
            " queue => 'django-tasks:shop', headers => %s)",
            '{"args": [], "kwargs": {}}', f"told {number}", json.dumps({"django_task": {"task": path}}),
        )  # fmt: skip
        seen["told"][path] = revive(f"told {number}", status="PENDING", revive_count=1)["error_reason"]
    seen["imported"] = "antigravity" in sys.modules
    [found] = attachments.attachments(None)
    seen["attached"] = [found.problem, found.metrics.visible, found.on_their_way]


call_command("migrate", verbosity=0)
worker = subprocess.Popen([sys.executable, *WORKER], stdout=subprocess.DEVNULL)
try:
    play()
finally:
    worker.kill()
    worker.wait()
json.dump(seen, sys.stdout, default=str)
