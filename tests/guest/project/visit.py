"""``python -m tests.guest.project.visit`` migrates the project, visits its pages, and prints what it saw."""

import json
import os
import sys
from importlib import import_module
from io import StringIO
from uuid import uuid4

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.guest.project.settings"

import django

django.setup()


from celery import Celery, current_app
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.db import connection as of_the_project
from django.test import Client

from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.engine.models import AuditEntry, DeadLetter
from dlqconsole.hosting.database import connection as of_the_console
from dlqconsole.operations.work.run import take_up as work_on_operations
from dlqconsole.people.models import Scope
from tests.guest.project.archive.models import Clerk, Queue

shop = Celery("shop")
import_module("dlqconsole.celery")
STATIC = ("dlqconsole/console/console.css", "console/console.css", "dlqconsole/vendor/htmx/htmx.min.js")
seen = {"celery": current_app.main, "django": ".".join(map(str, django.VERSION[:2]))}


def see(name, answer):
    seen[name] = {
        "status": answer.status_code,
        "headers": dict(answer.headers),
        "text": b"".join(answer).decode(),
    }


def clerk(name, *roles, **more):
    made = Clerk(login=f"{name}@shop.example", **more)
    made.set_unusable_password()
    made.save()
    made.groups.set(Group.objects.filter(name__in=roles))
    client = Client(SERVER_NAME="localhost")
    client.force_login(made)
    return client


call_command("migrate", verbosity=0)
Queue.objects.create(place="the till")

with of_the_console.cursor() as cursor:
    cursor.execute(
        "SELECT dead_letter_report('order.created', %s, 'no such order', queue => 'orders')",
        ['{"mail": "customer@home.example", "nickname": "the cat", "sum": 7}'],
    )
    (number,) = cursor.fetchone()

stranger = Client(SERVER_NAME="localhost")
see("stranger", stranger.get("/tools/dlq/"))
see("stranger by htmx", stranger.get("/tools/dlq/", headers={"HX-Request": "true"}))
see("sign in", stranger.get("/come-in/"))
see("health", stranger.get("/tools/dlq/healthz"))
see("without a role", clerk("nobody").get("/tools/dlq/"))
operator = clerk("operator", "operator")
see("overview", operator.get("/tools/dlq/"))
see("list", operator.get("/tools/dlq/dead-letters/"))
see("list in chinese", operator.get("/tools/dlq/dead-letters/", headers={"Accept-Language": "zh-CN"}))
see("dead letter", operator.get(f"/tools/dlq/dead-letters/{number}/"))
see("not there", operator.get("/tools/dlq/dead-letters/999/"))
form = {"kind": "revive", "scope": "rows", "ids": number, "reason": "it is there now", "expected": 1}
form["request_key"] = uuid4()
see("viewer revives", clerk("viewer", "viewer").post("/tools/dlq/operations/", form))
see("confirm", operator.post("/tools/dlq/dead-letters/operations/", form))
see("revive", operator.post("/tools/dlq/operations/", form, follow=True))
work_on_operations()

see("shop", operator.get("/"))
see("tellers", operator.get("/tellers/"))
see("no page of the shop", operator.get("/nowhere"))
owner = clerk("owner", is_staff=True, is_superuser=True)
see("accounts", owner.get("/admin/archive/clerk/"))
see("new account", owner.get("/admin/archive/clerk/add/"))
leaving, team = clerk("leaving"), Group.objects.create(name="packers")
with asking_as(EVERYTHING):
    gone = Clerk.objects.get(login="leaving@shop.example")
    Scope.objects.create(user=gone, queue="orders")
    Scope.objects.create(group=team, queue="orders")
    seen["deleted"] = [gone.delete()[1], team.delete()[1]]
    seen["limits"] = Scope.objects.count()
dump = StringIO()
call_command("dumpdata", stdout=dump)
seen["dumped"] = sorted({row["model"].partition(".")[0] for row in json.loads(dump.getvalue())})
with asking_as(EVERYTHING):
    letter = DeadLetter.objects.get(pk=number)
    seen["letter"] = {"status": letter.status}
    seen["audit"] = list(AuditEntry.objects.order_by("id").values_list("actor", "action", "detail"))
seen["operator"] = Clerk.objects.get(login="operator@shop.example").pk
seen["labels"] = [app.label for app in apps.get_app_configs()]
seen["registered"] = sorted(model._meta.label for model in admin.site._registry)
seen["static"] = {name: bool(finders.find(name)) for name in STATIC}
seen["till"] = list(Queue.objects.values_list("place", flat=True))
with of_the_project.cursor() as cursor:
    cursor.execute("SHOW search_path")
    seen["search path"] = cursor.fetchone()[0]
    cursor.execute("SHOW statement_timeout")
    seen["statement timeout"] = cursor.fetchone()[0]
    cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    seen["tables in public"] = sorted(name for (name,) in cursor.fetchall())
json.dump(seen, sys.stdout, default=str)
