"""The product and plain SQL work with their roles: each on connections of that role alone."""

import re
from datetime import UTC, date, datetime
from pathlib import Path

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from dlqconsole.celery import app as celery_app
from dlqconsole.consuming.consumer import Consumer
from dlqconsole.consuming.housekeeping import Housekeeping
from dlqconsole.core import messages
from dlqconsole.core.messages import archives
from dlqconsole.engine import audit
from dlqconsole.engine.counts import rollups
from dlqconsole.engine.database.health import health
from dlqconsole.engine.models import AuditEntry, DeadLetter, Message
from dlqconsole.operations.work import run as worker
from dlqconsole.pipeline.reports.days import ReportPlan, announce
from dlqconsole.pipeline.reports.storing import store_rows
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.pipeline.sink.executors import in_place
from dlqconsole.pipeline.sink.storing import Sink
from dlqconsole.pipeline.sink.work import RunWork
from dlqconsole.processing.limits import DEFAULT_LIMITS
from dlqconsole.processing.reports import DailyReport
from dlqconsole.retries.run import run as retry
from tests.asking import ask_for
from tests.of_features import of_features
from tests.pipeline.hostile import event
from tests.pipeline.test_store import items
from tests.plain_sql import execute, row, value
from tests.with_sample_handlers import sample_handlers, waits_are_long  # noqa: F401 - fixtures

ROOT = Path(__file__).parents[2]
HANDLERS = "tests.sample_handlers"


def address(role, roles):
    given = psycopg.conninfo.conninfo_to_dict(roles.owner().info.dsn)
    changed = {"user": roles.prefix + role, "password": roles.passwords[role], "dbname": roles.name}
    return psycopg.conninfo.make_conninfo("", **{**given, **changed})


@pytest.mark.usefixtures("waits_are_long")
def test_the_product_runs_as_the_app(emptied, settings, tmp_path):
    settings.DLQ_ARCHIVE_DIR = tmp_path
    with emptied.as_role("app"):
        sends_and_handles()
        retries_what_is_due()
        revives_by_an_operation()
        keeps_the_archive()
        for works_as_the_app in of_features("works_as_the_app"):
            works_as_the_app()
        shows_its_pages()
        assert health()["warnings"] == []
        audit.record(actor="test", action="test", target="queue:orders")
        celery_app.loader.import_default_modules()
        for name in celery_app.conf.beat_schedule.values():
            celery_app.tasks[name["task"]].run()


def sends_and_handles():
    messages.send("order.created", '{"order_id": 1}', group_key="a", delay=0.01)
    messages.send_many("order.created", [messages.NewMessage('{"order_id": 2}', {"n": 1}) for _ in range(60)])
    messages.send_many("order.created", [messages.NewMessage('{"do": "business"}')])
    messages.send_many("order.created", [messages.NewMessage('{"do": "transient"}')])
    counts = Consumer(["order.created"]).run(until_empty=True)
    assert sum(counts.values()) >= 62
    Housekeeping(["order.created"]).keep()
    [letter] = DeadLetter.objects.all()
    assert letter.error_class == "PlaneUnknown"
    # the delayed one may wait still
    assert Message.objects.filter(group_key=None).values_list("status", flat=True).get() == "scheduled"


def retries_what_is_due():
    DeadLetter.objects.update(error_category="TRANSIENT", retry_after=datetime.now(UTC))
    made = retry()
    assert (made.claimed, made.failed) == (1, 1)


def revives_by_an_operation():
    execute("SELECT count(*) FROM dead_letter_totals")
    operation = ask_for("revive", actor="user:ann", reason="billing is back")
    worker.run(operation.pk)
    worker.take_up()
    operation.refresh_from_db()
    assert (operation.status, operation.done) == ("completed", 1)
    assert DeadLetter.objects.get().status == "REVIVED"
    Message.objects.all().delete()
    assert DeadLetter.objects.get().status == "PENDING"
    assert value("SELECT dead_letter_revive(id) FROM dlq_events") is not None
    assert AuditEntry.objects.filter(action="revive").exists()


def keeps_the_archive():
    call_command("queues", "create", "kept", retention="archive", archive_days=3, because="a test")
    messages.send("kept", "1")
    assert messages.archive(messages.claim("kept", 5, owner="me", lease_seconds=60)) != []
    execute("UPDATE message_archive SET keep_until = now() - interval '1 minute'")
    archives.keep()
    assert archives.delete_outlived() == 0
    assert row("SELECT count(*) FROM message_archive") == (0,)
    execute("SELECT * FROM message_archive_shorten('kept', 1, now(), 100, 'ann', 'a test')")
    rollups.fold()


def shows_its_pages():
    user = User.objects.create_superuser("ann", password="a long enough password")
    client = Client()
    client.force_login(user)
    nouns = ("dead-letters", "groups", "operations", "queues", "schedules", "reports", "audit", "admin")
    letter = DeadLetter.objects.get().pk
    for page in ("/", "/metrics", f"/dead-letters/{letter}/", *(f"/{noun}/" for noun in nouns)):
        assert client.get(page).status_code in (200, 302), page


@pytest.mark.parametrize("role", ["pipeline", "app"])
def test_ingest_and_report_run_as_the_pipeline_and_as_the_app(emptied, role):
    link = address(role, emptied)
    run = Run.begin(link, "ingest", "a test")
    work = RunWork(link, run.id, HANDLERS, DEFAULT_LIMITS, 30, 60)
    with in_place(work) as attempt:
        sink = Sink(work, attempt)
        once = sink.store(items(event("1", order_id=7), event("2", do="business")))
        again = sink.store(items(event("1", order_id=7), event("2", do="business", other="bytes")))
    sink.close()
    assert (sum(once.values()), again["order.created", "PlaneUnknown"]) == (2, 1)
    run.beat()
    run.finish("completed", "done")
    run.close()
    report = DailyReport(
        "orders", by=("event_type",), metrics={"orders": "count"}, title="Orders", function=None
    )
    rows = [{"day": date(2026, 1, 31), "event_type": "x", "orders": 1}]
    with psycopg.connect(link, autocommit=True) as session:
        announce(session, [report])
        for _ in range(2):
            store_rows(session, report, rows, ReportPlan((date(2026, 1, 31),)), lambda: None)
        for query in queries(
            "dlqconsole/pipeline/sql/report.sql", "snapshot", "extent", "enriched_by_id", "dead_by_id"
        ):
            session.execute(query, {"first": 0, "end": 10})
        assert session.execute("SELECT dead_letter_report('x', '1', 'Refused: no', source => 'a')").fetchone()
        session.execute(
            "INSERT INTO dlq_events (event_type, payload, error_reason, error_stacktrace, status,"
            " retry_count, retry_after) VALUES ('order.created', '1', 'no', 'Traceback', 'PENDING', 0, now())"
        )


def queries(file, *names):
    parts = re.split(r"^-- name: (\w+)$", (ROOT / file).read_text(), flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    return [found[name] for name in names]


def test_a_producer_sends_by_the_statements_of_the_document(emptied):
    [block] = re.findall(
        r"```sql\n(INSERT INTO message_queue.*?)```", (ROOT / "docs/queue.md").read_text(), re.S
    )
    link = emptied.connect("producer_shop")
    link.execute(block)
    link.execute(
        "INSERT INTO message_queue (queue, payload, headers, dedupe_key)"
        " VALUES ('returns', '1', '{\"a\": 1}', 'k') ON CONFLICT DO NOTHING"
    )
    with link.cursor() as cursor, cursor.copy("COPY message_queue (queue, payload) FROM STDIN") as copy:
        copy.write_row(("orders", "3"))
    # a second of its group waits, one for later is set apart: the producer needs no right for either
    link.execute("INSERT INTO message_queue (queue, payload, group_key) VALUES ('orders', '4', 'customer-7')")
    found = emptied.owner().execute("SELECT payload::text, status FROM message_queue WHERE queue = 'orders'")
    assert sorted(found.fetchall()) == [
        ("3", "pending"), ("4", "waiting"), ('{"order_id": 1}', "pending"), ('{"order_id": 2}', "scheduled"),
    ]  # fmt: skip


def test_a_reader_sees_figures(emptied):
    link = emptied.connect("reader")
    for query in (
        "SELECT queue, status, count(*) FROM message_queue GROUP BY 1, 2",
        "SELECT status, count(*) FROM dlq_events GROUP BY 1",
        "SELECT sum(letters) FROM dead_letter_totals",
        "SELECT * FROM dead_letter_trend",
        "SELECT * FROM report_rows",
        "SELECT outcome, count(*) FROM dlq_attempts GROUP BY 1",
    ):
        link.execute(query)
