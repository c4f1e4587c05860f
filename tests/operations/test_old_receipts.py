"""After DLQ_RECEIPT_DAYS an operation keeps its numbers and lets its items go, unless they are of use."""

import re

import pytest
from django.db import connection
from django.urls import reverse

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.models import AuditEntry, DeadLetter
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Operation, OperationItem
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.receipts.receipt import forget_old_items
from dlqconsole.operations.requests import controls
from dlqconsole.operations.sql import sql
from dlqconsole.runs.models import PipelineRun
from dlqconsole.runs.service import forget_old_runs
from tests.operations.conftest import ask, undo, work
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db


def done(kind: str, ids: list[int], days: int = 181, **given) -> Operation:
    """An operation that is over, and ended so long ago."""
    operation = ask(kind, ids=ids, **given)
    Operation.objects.filter(pk=operation.pk).update(alone_up_to=2**31 - 1)
    work()
    age(operation, days)
    return operation


def age(operation: Operation, days: int) -> None:
    execute(
        "UPDATE operations SET finished_at = now() - make_interval(days => %s) WHERE id = %s",
        days,
        operation.pk,
    )
    operation.refresh_from_db()
    assert operation.status == "completed"


def test_the_items_go_and_the_numbers_stay(letters, viewer, monkeypatch):
    monkeypatch.setattr(receipt, "PAGE", 2)
    old = done("purge", letters(5, status="DISCARDED"))
    young = done("purge", letters(2, status="DISCARDED"), days=179)
    assert forget_old_items(0) == 0
    assert forget_old_items(180) == 5
    assert forget_old_items(180) == 0
    old.refresh_from_db()
    assert (old.items_kept, old.selected, old.done) == ("gone", 5, 5)
    assert set(OperationItem.objects.values_list("operation_id", flat=True)) == {young.pk}
    entry = AuditEntry.objects.get(action="delete items")
    assert (entry.actor, entry.operation_id, entry.detail["items"]) == ("retention", old.pk, 5)
    page = " ".join(viewer.get(reverse("dlq:operation", args=[old.pk])).content.decode().split())
    assert "The outcomes of single items are deleted after their time." in page
    assert "let go of, after 180 days" in page
    assert viewer.get(reverse("dlq:operation_items", args=[old.pk])).status_code == 410
    with pytest.raises(OperationRefused, match="were kept long enough, and are gone"):
        ask("purge", source=(old.pk, "done"))


def test_who_dies_between_two_pages_is_gone_on_for(letters, monkeypatch):
    monkeypatch.setattr(receipt, "PAGE", 2)
    monkeypatch.setattr(receipt, "PAGES", 1)
    old = done("purge", letters(5, status="DISCARDED"))
    counts = [forget_old_items(180) for _ in range(5)]
    assert counts == [2, 2, 1, 0, 0]
    old.refresh_from_db()
    assert old.items_kept == "gone"
    assert AuditEntry.objects.filter(action="delete items").count() == 1
    assert receipt.items(old.pk) == []


@pytest.mark.parametrize("kind", ["discard", "revive", "reclassify", "edit"])
def test_what_can_be_taken_back_keeps_its_items(letters, kind):
    """As long as one dead letter is as the operation left it, and no longer."""
    given = {
        "reclassify": {"parameters": {"to_category": "BUSINESS"}},
        "edit": {"parameters": {"recipe": '[{"op": "add", "path": "/a", "value": 1}]'}},
    }
    ids = letters(3)
    operation = done(kind, ids, **given.get(kind, {}))
    assert operation.done == 3
    execute("UPDATE operations SET released_at = now() WHERE undo_until IS NOT NULL")
    execute("DELETE FROM dlq_events WHERE id = ANY (%s)", ids[1:])
    assert forget_old_items(180) == 0
    execute("DELETE FROM dlq_events")
    assert forget_old_items(180) == 3
    operation.refresh_from_db()
    assert "kept long enough" in controls.why_not_undone(operation)


def test_what_was_taken_back_or_moved_on_is_let_go_of(letters):
    taken_back, moved_on = done("discard", letters(2)), done("discard", letters(2))
    undo(taken_back)
    work()
    assert DeadLetter.objects.filter(status="PENDING").count() == 2
    done("restore", list(DeadLetter.objects.filter(operation_id=moved_on.pk).values_list("pk", flat=True)), 0)
    assert forget_old_items(180) == 4


def test_what_an_open_operation_began_from_stays(letters):
    old = done("purge", letters(2, status="DISCARDED"))
    Operation.objects.create(
        request_key="00000000-0000-0000-0000-000000000001", kind="retry", status="paused", actor="user:1",
        reason="x", scope="items", source_operation=old, cutoff_id=1, expected=2,
    )  # fmt: skip
    assert forget_old_items(180) == 0
    Operation.objects.filter(status="paused").update(status="cancelled")
    assert forget_old_items(180) == 2


def test_a_page_reads_what_it_deletes():
    """Of 60,000 items, none of another operation; and no operation whose items are gone."""
    execute("""
        INSERT INTO operations (request_key, kind, status, actor, reason, scope, cutoff_id, expected,
            finished_at, items_kept)
        SELECT gen_random_uuid(), 'retry', 'completed', 'user:1', 'x', 'rows', 1, 1,
            now() - make_interval(days => 3100 - n), CASE WHEN n <= 2900 THEN 'gone' ELSE 'kept' END
        FROM generate_series(1, 3000) n
    """)
    execute("""
        INSERT INTO operation_items (operation_id, dead_letter_id, status)
        SELECT o.id, n, 'done' FROM operations o, generate_series(1, 600) n WHERE o.items_kept = 'kept'
    """)
    execute("ANALYZE operations, operation_items")
    first = fetch_dicts("SELECT min(id) AS id FROM operations WHERE items_kept = 'kept'", {})[0]["id"]
    for name, values in (
        ("begin", {"days": 180, "undoable": ["revive"], "limit": 20}),
        ("leaving", {}),
        ("page", {"id": first, "limit": 100}),
    ):
        plan = "\n".join(
            row["QUERY PLAN"]
            for row in fetch_dicts(f"EXPLAIN (ANALYZE, TIMING OFF) {sql(f'old_receipts.{name}')}", values)
        )
        assert "Seq Scan on operation_items" not in plan, plan
        if name == "page":
            assert max(float(n) for n in re.findall(r"actual rows=([\d.]+)", plan)) <= 100, plan
        else:
            assert "operations_itemised" in plan, plan
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM operation_items WHERE operation_id = %s", [first])
        assert cursor.fetchone() == (500,)


def test_old_runs_go_but_not_the_newest_nor_what_is_open():
    def run(kind: str, status: str, days: int) -> int:
        made = PipelineRun.objects.create(kind=kind, status=status, log="lines")
        execute(
            "UPDATE pipeline_runs SET finished_at = now() - make_interval(days => %s), started_at = now()"
            " - make_interval(days => %s) WHERE id = %s",
            days, days, made.pk,
        )  # fmt: skip
        return made.pk

    gone = [run("ingest", "completed", 300), run("ingest", "failed", 250)]
    stays = [
        run("ingest", "completed", 240), run("ingest", "running", 230), run("archive", "completed", 400),
    ]  # fmt: skip
    gone += [run("ingest", "failed", 220), run("report", "cancelled", 400)]
    stays.append(run("report", "completed", 2))
    PipelineRun.objects.filter(status="running").update(finished_at=None)
    newest = run("ingest", "failed", 10)
    assert forget_old_runs(180) == len(gone)
    assert set(PipelineRun.objects.values_list("pk", flat=True)) == {*stays, newest}
