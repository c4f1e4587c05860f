"""One poison row in each kind of operation: the others are done, it says why not, and the pages show both."""

import csv
import io
import json
import sys

import pytest
from django.urls import reverse

from dlqconsole.operations.models import Operation, Status
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.work import run
from tests.exported import file_of, rows_of
from tests.operations.conftest import ask, counts, undo, work
from tests.plain_sql import column
from tests.poison.conftest import HEALTHY, World

csv.field_size_limit(sys.maxsize)
ALL = HEALTHY + 1

# one of each way a row is read, changed and written; the others go the same ways (test_acting, test_looking)
KINDS = (
    "a NUL", "beyond floats", "a number that swells", "5,000 levels", "a key twice", "no UTF-8",
    "long hostile texts", "deep headers", "headers beyond floats",
)  # fmt: skip
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.sized,
    pytest.mark.parametrize("committed", KINDS, indirect=True, scope="module"),
]

RECIPE = '[{"op": "add", "path": "/note", "value": "seen"}]'
STATE = (
    "SELECT to_jsonb(e) - 'version' - 'updated_at' - 'operation_id' - 'payload' - 'headers'"
    " - 'payload_version' - 'error_stacktrace' - 'payload_raw' FROM dlq_events e ORDER BY id"
)


def check_the_others_are_done(world: World, operation: Operation) -> None:
    """All but the poison row are done; it is too, or says why not; the receipt's pages show it."""
    status, selected, done, _skipped, _failed = counts(operation)
    assert (status, selected) == ("completed", ALL)
    (own,) = [item for item in receipt.items(operation.pk, limit=200) if item.dead_letter_id == world.poison]
    is_done = own.fate not in ("skipped", "failed")
    assert done == HEALTHY + is_done
    assert is_done or own.reason
    page = world.operator.get(reverse("dlq:operation", args=[operation.pk]))
    assert page.status_code == 200
    assert len(page.content) < 500_000
    file = b"".join(world.operator.get(reverse("dlq:operation_items", args=[operation.pk])).streaming_content)
    rows = list(csv.reader(io.StringIO(file.decode(), newline="")))
    assert len(rows) == ALL + 1


def done_by(world: World, kind: str, **given: object) -> Operation:
    """Ask for it over all, let it be approved, and work."""
    operation = ask(kind, **({"filter": {}} | given))
    Operation.objects.filter(pk=operation.pk).update(alone_up_to=2**31 - 1)
    work()
    check_the_others_are_done(world, operation)
    return operation


def healthy(world: World, what: str) -> set[object]:
    ids = sorted(world.healthy)
    return set(column(f"SELECT {what} FROM dlq_events WHERE id = ANY (%s)", ids))


def test_a_recipe_changes_the_others_and_an_undo_puts_them_back(world):
    tried = world.operator.post(reverse("dlq:recipes"), {"scope": "all", "filter": "", "recipe": RECIPE})
    assert tried.status_code == 200
    assert tried.context["preview"].would_change >= HEALTHY
    operation = done_by(world, "edit", parameters={"recipe": RECIPE})
    assert healthy(world, "payload ->> 'note'") == {"seen"}
    undo(operation)
    work()
    assert healthy(world, "payload::text") == {'{"order_id": 1}'}


def test_reclassifying_moves_them_all_and_an_undo_moves_them_back(world):
    before = column(STATE)
    operation = done_by(world, "reclassify", parameters={"to_category": "BUSINESS"})
    assert column("SELECT DISTINCT error_category FROM dlq_events") == ["BUSINESS"]
    check_the_others_are_done(world, operation)
    taken_back = undo(operation)
    work()
    check_the_others_are_done(world, taken_back)
    assert column(STATE) == before


@pytest.mark.parametrize("kind", ["revive", "discard"])
def test_an_undo_takes_all_of_it_back(world, kind):
    before = column(STATE)
    operation = done_by(world, kind, parameters={"undo_seconds": 60} if kind == "revive" else {})
    taken_back = undo(operation)
    work()
    assert counts(taken_back) == ("completed", ALL, ALL, 0, 0)
    assert column(STATE) == before
    assert column("SELECT id FROM message_queue") == []


def test_an_export_holds_the_others_whole_and_masked(world):
    for format, unmasked in (
        ("csv", False),
        ("csv", True),
        ("jsonl", False),
        ("xlsx", False),
        ("parquet", False),
    ):
        operation = ask("export", filter={}, parameters={"format": format, "unmasked": unmasked})
        Operation.objects.filter(pk=operation.pk).update(alone_up_to=2**31 - 1)
        work()
        operation.refresh_from_db()
        assert (operation.status, operation.done) == ("completed", ALL)
        content = file_of(operation)
        check_the_file(world, format, content)
        taken = world.admin.get(reverse("dlq:operation_export", args=[operation.pk]))
        assert b"".join(taken.streaming_content) == content


def check_the_file(world: World, format: str, content: bytes) -> None:
    if format != "jsonl":
        rows = {int(row["id"] or 0): row for row in rows_of(content, format)}
        assert rows.keys() == world.everyone
        assert {rows[each]["payload"] for each in world.healthy} == {'{"order_id": 1}'}
        return
    lines = content.decode().splitlines()
    assert len(lines) == ALL
    poison = [line for line in lines if str(world.poison) in line[:40]]
    rest = [json.loads(line) for line in lines if line not in poison]
    assert {row["id"] for row in rest} >= world.healthy - {world.poison}


def test_a_purge_removes_them_all(world):
    done_by(world, "discard")
    operation = ask("purge", filter={"status": "DISCARDED"})
    Operation.objects.filter(pk=operation.pk).update(alone_up_to=2**31 - 1)
    work()
    assert counts(operation) == ("completed", ALL, ALL, 0, 0)
    assert column("SELECT id FROM dlq_events") == []
    assert world.operator.get(reverse("dlq:operation", args=[operation.pk])).status_code == 200


def test_a_canary_chooses_its_probes_and_the_others_follow(world, monkeypatch):
    monkeypatch.setattr(run, "WATCH_SECONDS", 0.05)
    canary = {"probes": 5, "threshold": 100, "watch_seconds": 1}
    operation = ask("retry", filter={}, parameters={"canary": canary})
    work()
    operation.refresh_from_db()
    assert operation.status == Status.COMPLETED
    assert len(operation.probes) == 5
    assert healthy(world, "status") == {"SUCCEEDED"}


def test_the_pages_that_are_about_it_answer(world):
    (group,) = column("SELECT group_id FROM dlq_events WHERE id = %s", world.poison)
    edit = world.operator.get(reverse("dlq:dead_letter_edit", args=[world.poison]))
    assert edit.status_code in (200, 409)
    assert len(edit.content) < 3_000_000
    (version,) = column("SELECT version FROM dlq_events WHERE id = %s", world.poison)
    typed = {"step": "save", "version": version, "payload": '{"order_id": 5}', "reason": "mended"}
    stored = world.operator.post(reverse("dlq:dead_letter_edit", args=[world.poison]), typed)
    assert stored.status_code in (302, 409, 422)
    assert world.operator.get(reverse("dlq:dead_letter_versions", args=[world.poison])).status_code == 200
    assert world.operator.get(reverse("dlq:group", args=[group])).status_code == 200
    rule = {"name": "r", "pattern": "billing said", "category": "BUSINESS", "overrides": "yes", "do": "try"}
    tried = world.admin.post(reverse("dlq:rule_new"), rule)
    assert tried.status_code == 200
    assert tried.context["trial"].matched == ALL
