"""Bidirectional and invisible characters are shown wherever they occur: on every page, by every command."""

import re
from collections.abc import Iterator
from io import StringIO

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import Error, connection, transaction
from django.test import Client
from django.urls import reverse

from dlqconsole.console.parts.visible_pages import visible_page
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.engine.models import DeadLetter, FailureGroup, FailureRule
from dlqconsole.operations.models import Operation
from dlqconsole.processing.texts import HIDDEN
from dlqconsole.reports.models import Report
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies import PolicyScope, keeping
from dlqconsole.runs.models import PipelineRun
from tests.accounts import actor_of
from tests.console.parts.test_junk import everywhere
from tests.of_features import all_of, of_features
from tests.operations.conftest import ask
from tests.plain_sql import value

LINE = "hidden characters, outlets"
# turned round, isolated, of no width, joined, a tag, a line of its own, a control, a byte order mark
HOSTILE = "\u202egpj\u2066x\u2069\u200b\u2060\u00ad\U000e0041\u2028\u2029\x9b\ufeff\u061c"
PARTS = re.compile(
    r"<script.*?</script>|<textarea.*?</textarea>|\b(?:value|href|action|data-[\w-]+)=\"[^\"]*\"", re.S
)


@pytest.fixture
def world(letter, admin_user_client, operator) -> Client:
    """A row of each kind with such characters in each of its texts, and who may see them all."""
    one = everywhere(letter, f"x{HOSTILE}")
    ask("discard", filter={})
    User.objects.create(username=f"bob{HOSTILE}", first_name=HOSTILE)
    Group.objects.create(name=f"crew{HOSTILE}")
    FailureRule.objects.create(
        name="r", position=1, event_type="x", pattern="y", category="BUSINESS", updated_by="user:1"
    )
    who = {"actor": actor_of("operator"), "reason": "r"}
    keeping.add(PolicyScope("order.created"), {"rate": 2}, **who)
    keeping.pause(PolicyScope("order.created"), **who)
    keeping.pause(PolicyScope(), **who)
    PipelineRun.objects.create(kind="ingest", subject="/in", total=9, done=3, message="reading")
    Report.objects.create(name="daily", title="Orders", keys=["country"], metrics={"orders": "count"})
    for rows in of_features("rows"):
        rows(actor_of("operator"))
    assert len(list(fill())) > 40
    admin_user_client.one = one
    return admin_user_client


def fill() -> Iterator[str]:
    """Put them behind each text that the database lets one change, found from the catalog."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " JOIN information_schema.tables USING (table_schema, table_name)"
            " WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'"
            " AND data_type IN ('text', 'character varying') AND table_name !~ '^(django|auth)_'"
            " AND column_name !~ '^status$|kind|actor' AND (table_name, column_name) <> ('reports', 'name')"
            " ORDER BY 1, 2"
        )
        for table, column in cursor.fetchall():
            try:
                with transaction.atomic():
                    cursor.execute(f'UPDATE "{table}" SET "{column}" = "{column}" || %s', [HOSTILE])
                    if cursor.rowcount:
                        yield f"{table}.{column}"
            except Error:
                continue  # a CHECK does not allow it
        cursor.execute("SET LOCAL session_replication_role = origin")


def addresses(one: int) -> list[str]:
    """The pages of the console and of the admin, with every row that there is."""
    lists = [
        "overview",
        "dead_letters",
        "groups",
        "rules",
        "operations",
        "queues",
        "schedules",
        "reports",
        "runs",
        "audit",
    ]
    found = [reverse(f"dlq:{name}") for name in lists]
    found += [
        reverse(f"dlq:{name}", args=[one])
        for name in ("dead_letter", "dead_letter_edit", "dead_letter_versions")
    ]
    rows = {
        "policy": RetryPolicy,
        "policy_delete": RetryPolicy,
        "operation": Operation,
        "group": FailureGroup,
        "rule": FailureRule,
        "report": Report,
        "run": PipelineRun,
    }
    found += [
        reverse(f"dlq:{name}", args=[row.pk]) for name, model in rows.items() for row in model.objects.all()
    ]
    ids = {"group": FailureGroup.objects.first().pk, "letter": DeadLetter.objects.first().pk}
    found += [address.format(**ids) for address in all_of("PAGES")]
    found += [page for row_pages in of_features("row_pages") for page in row_pages()]
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM queues UNION SELECT queue FROM message_queue")
        queues = [name for (name,) in cursor.fetchall()]
    found += [
        reverse(f"dlq:queue{part}", args=[name]) for name in queues for part in ("", "_messages", "_policy")
    ]
    for model in site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found.append(reverse(f"{name}_changelist"))
        for key in model.objects.values_list("pk", flat=True)[:3]:
            found += [reverse(f"{name}_{page}", args=[key]) for page in ("change", "delete", "history")]
    return found


def test_no_page_has_a_character_that_nobody_sees(world, scorecard):
    pages = addresses(world.one)
    hidden, seen = [], 0
    for page in pages:
        answer = world.get(page, follow=True)
        assert answer.status_code in (200, 403), page
        text = answer.content.decode()
        seen += "⟦U+202E⟧" in text
        hidden += [f"{page}: {found[0]!a}" for found in [HIDDEN.search(PARTS.sub("", text))] if found]
    assert seen > 30
    scorecard(LINE, tried=len(pages) * len(HIDDEN.findall(HOSTILE)), broke=hidden)


COMMANDS = [
    ["deadletters", "list"], ["deadletters", "list", "--json"], ["deadletters", "show"],
    ["deadletters", "count"], ["queues"], ["queues", "show"], ["attach", "--list"], ["verify_audit"],
]  # fmt: skip


def test_no_command_prints_one(world, scorecard):
    hidden = []
    queue = value("SELECT name FROM queues")
    for command in COMMANDS:
        more = {"deadletters show": [str(world.one)], "queues show": [queue]}.get(" ".join(command), [])
        out = StringIO()
        call_command(*command, *more, stdout=out, stderr=out)
        assert out.getvalue()
        hidden += [f"{command}: {found[0]!a}" for found in [HIDDEN.search(out.getvalue())] if found]
    scorecard(LINE, tried=len(COMMANDS) * len(HIDDEN.findall(HOSTILE)), broke=hidden)


def test_no_sentence_about_bad_input_does_anything_to_a_terminal():
    class Refusing(GatedCommand):
        requires_system_checks = ()

        def handle(self, *args, **options):
            self.stdout.write(f"on {HOSTILE}\x1b[2K")
            self.stderr.write(f"there is no {HOSTILE}\x1b[2K")

    out, err = StringIO(), StringIO()
    call_command(Refusing(), stdout=out, stderr=err)
    assert [HIDDEN.search(text.getvalue()) for text in (out, err)] == [None, None]
    assert "no ⟦U+202E⟧gpj" in err.getvalue()


def test_what_a_form_sends_back_and_where_a_link_leads_stay_as_they_are():
    kept = '<input value="a\u202eb"><a href="/q/\u202e/"><textarea>\u202e</textarea><script>"\u202e"</script>'
    assert visible_page(kept) == kept
    page = '<p title="a\u202e" aria-label="b\u200b">c\u2066</p>\u2028'
    assert visible_page(page) == ('<p title="a⟦U+202E⟧" aria-label="b⟦U+200B⟧">c⟦U+2066⟧</p>⟦U+2028⟧')
