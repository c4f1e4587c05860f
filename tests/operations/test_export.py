"""An export is the frozen selection, each row once, masked, and the same in every format."""

import hashlib
import json
import signal
from collections.abc import Iterator

import pytest

from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.models import LIVE, ExportChunk, Operation, OperationItem, OperationPart
from dlqconsole.operations.pages import export_rows, exporting, file_making
from dlqconsole.operations.requests import controls
from dlqconsole.operations.work import leases, run
from dlqconsole.processing.formats import FORMATS
from tests.accounts import person
from tests.exported import Rows, file_of, rows_of
from tests.operations.conftest import ask, work
from tests.operations.processes import Processes
from tests.plain_sql import column, execute
from tests.waiting import as_soon_as, eventually

pytestmark = pytest.mark.django_db(transaction=True)
PERSONAL = '{"email": "joe@example.org", "n": 1234567890123456789.10, "note": "card 4111 1111 1111 1111"}'
SECRETS = ("joe@", "4111", "abc123", "hunter2", "am9lQ")


def export(format: str = "csv", *, masked: bool = True, **given) -> Operation:
    """Ask, approve what needs a second person, and work."""
    operation = ask(
        "export", parameters={"format": format, "unmasked": not masked}, **{"filter": {}, **given}
    )
    if not masked:
        Operation.objects.filter(pk=operation.pk).update(alone_up_to=2**31 - 1)
    work()
    operation.refresh_from_db()
    return operation


def counts(operation: Operation) -> tuple[str, int, int, int, int]:
    """Its counters; it has no items beside them."""
    operation.refresh_from_db()
    assert not OperationItem.objects.exists()
    return operation.status, operation.selected, operation.done, operation.skipped, operation.failed


def exported(format: str = "csv", **given) -> Rows:
    return rows_of(file_of(export(format, **given)), format)


@pytest.mark.parametrize("format", FORMATS)
def test_the_file_is_the_selection_in_order_and_equals_the_database(letters, monkeypatch, format):
    monkeypatch.setattr(exporting, "PART_BYTES", 2_000)
    monkeypatch.setattr(file_making, "_STEP", 3)
    ids = letters(50, "order.created", payload='{"n": 1234567890123456789}')
    letters(5, "another")
    operation = export(format, filter={"type": "order.created"}, expected=50)
    assert counts(operation) == ("completed", 50, 50, 0, 0)
    file = file_of(operation)
    assert operation.result == {
        "rows": 50, "bytes": len(file), "sha256": hashlib.sha256(file).hexdigest(),
        "format": format, "masked": True, "failed": 0, "notes": [],
    }  # fmt: skip
    rows = rows_of(file, format)
    assert [row["id"] for row in rows] == [str(number) for number in ids]
    for name in ("created_at", "group_id", "source_key", "retry_count", "status"):
        text = f'to_char({name}, \'YYYY-MM-DD"T"HH24:MI:SS.US"Z"\')' if name.endswith("_at") else name
        of_type = "WHERE event_type = 'order.created' ORDER BY id"
        there = column(f"SELECT ({text})::text FROM dlq_events {of_type}")
        assert [row[name] or None for row in rows] == there, name
    for row in rows:
        assert json.loads(row["payload"] or "", parse_int=str)["n"] == "1234567890123456789"
    assert OperationPart.objects.get(operation=operation).items == 50


@pytest.mark.parametrize("format", FORMATS)
def test_personal_data_is_masked_in_payload_headers_reason_and_trace(letters, format):
    letters(
        1,
        payload=PERSONAL,
        headers='{"Authorization": "Bearer abc123"}',
        source="s",
        source_key="joe@example.org",
        error_stacktrace="no such user joe@example.org",
        payload_raw=b"to=joe@example.org",
    )
    execute("UPDATE dlq_events SET error_reason = 'password=hunter2 was refused'")
    [row] = exported(format)
    text = json.dumps(row)
    assert not any(secret in text for secret in SECRETS)
    assert "1234567890123456789.10" in text


def test_unmasked_only_where_the_operation_says_so(letters):
    letters(1, payload=PERSONAL)
    (row,) = exported(masked=False)
    assert json.loads(row["payload"] or "", parse_float=str) == json.loads(PERSONAL, parse_float=str)
    [line] = exported("jsonl", masked=False)
    assert "joe@example.org" in str(line["payload"])


def test_the_second_person_approves_the_very_file(letters, two_people):
    """Nothing is offered before; what is changed or comes later is not in it; a refusal deletes it."""
    ann, bob = two_people
    letters(2, payload=PERSONAL)
    operation = ask("export", filter={}, parameters={"unmasked": True}, expected=2, actor=ann)
    work()
    operation.refresh_from_db()
    assert (operation.status, operation.selected) == ("awaiting", 2)
    assert exporting.export_file(operation) is None
    execute("UPDATE dlq_events SET payload = '[1]'")
    controls.approve(operation.pk, bob)
    work()
    operation.refresh_from_db()
    assert all("joe@example.org" in str(row["payload"]) for row in rows_of(file_of(operation), "csv"))

    refused = ask("export", filter={}, parameters={"unmasked": True}, expected=2, actor=ann)
    work()
    controls.refuse(refused.pk, bob)
    assert ExportChunk.objects.filter(operation=refused).exists()
    exporting.forget_old()
    assert not ExportChunk.objects.filter(operation=refused).exists()


@pytest.fixture
def two_people() -> tuple[str, str]:
    return person("ann"), person("bob")


@pytest.mark.parametrize("format", FORMATS)
def test_poison_rows_are_exported_whole_and_harm_nobody(letters, format):
    poison = ["[" * 1500 + "]" * 1500, "1e131071", '{"n": ' + "7" * 5000 + "}", '"a\u2028b\u2029c\u0085d"']
    for payload in poison:
        letters(1, payload=payload)
    letters(1, payload=None, payload_raw=b"\x00\xff\xfe")
    letters(1, payload='{"good": 1}')
    operation = export(format)
    assert counts(operation) == ("completed", 6, 6, 0, 0)
    content = file_of(operation)
    if format == "jsonl":
        lines = content.decode().splitlines()
        assert len(lines) == 6
        assert json.loads(lines[3])["payload"] == "a\u2028b\u2029c\u0085d"
        assert '"n": ' + "7" * 5000 in lines[2]
    else:
        assert len(rows_of(content, format)) == 6


def test_a_row_that_cannot_be_written_fails_alone_and_the_receipt_says_why(letters, monkeypatch):
    ids = letters(5)
    made = export_rows.row_maker

    def breaks():
        own = made()
        return lambda row: own(row) if row[0] != str(ids[2]) else 1 / 0

    monkeypatch.setattr(export_rows, "row_maker", breaks)
    operation = export()
    assert counts(operation) == ("completed", 5, 4, 0, 1)
    [note] = operation.result["notes"]
    assert note == f"dead letter {ids[2]} cannot be written: ZeroDivisionError: division by zero"
    assert [row["id"] for row in rows_of(file_of(operation), "csv")] == list(map(str, [*ids[:2], *ids[3:]]))


def test_what_came_after_the_click_is_not_in_it_and_what_is_gone_neither(letters):
    first, gone = letters(2)
    operation = ask("export", ids=[first, gone])
    of_filter = ask("export", filter={})
    execute("DELETE FROM dlq_events WHERE id = %s", gone)
    letters(1)
    work()
    for each in (operation, of_filter):
        each.refresh_from_db()
        assert [row["id"] for row in rows_of(file_of(each), "csv")] == [str(first)]


def test_an_export_of_nothing_is_a_file_with_its_header(letters):
    operation = export(filter={"type": "none"})
    assert file_of(operation).startswith(b'"id","event_type"')
    assert operation.result["rows"] == 0
    assert exported("jsonl", filter={"type": "none"}) == []


def test_an_old_file_goes_and_its_receipt_says_so(letters):
    letters(1)
    operation, fresh = export(), export()
    execute("UPDATE operations SET finished_at = now() - interval '8 days' WHERE id = %s", operation.pk)
    assert exporting.forget_old() == 1
    operation.refresh_from_db()
    assert operation.result["deleted_at"]
    assert set(ExportChunk.objects.values_list("operation_id", flat=True)) == {fresh.pk}
    assert AuditEntry.objects.filter(action="delete export", operation_id=operation.pk).count() == 1
    assert exporting.forget_old() == 0


def test_a_cancelled_export_is_never_offered(letters, monkeypatch):
    """The person comes between two parts."""
    monkeypatch.setattr(exporting, "PART_BYTES", 1)
    monkeypatch.setattr(file_making, "_STEP", 1)
    letters(9)
    operation = ask("export", filter={})
    real = exporting._Storing._store_part

    def store(self, length):
        real(self, length)
        controls_of = "UPDATE operations SET status = 'cancelling' WHERE id = %s AND selected >= 4"
        execute(controls_of, operation.pk)

    monkeypatch.setattr(exporting._Storing, "_store_part", store)
    run.run(operation.pk)
    operation.refresh_from_db()
    assert operation.status == "cancelled"
    assert exporting.export_file(operation) is None


def test_who_lost_the_lease_adds_nothing_to_the_file_of_the_next(letters, monkeypatch):
    monkeypatch.setattr(exporting, "PART_BYTES", 1)
    monkeypatch.setattr(file_making, "_STEP", 1)
    ids = letters(9)
    operation = ask("export", filter={})
    stale = leases.adopt(operation.pk, "me")
    exporting._call("exporting.begin", stale)
    exporting._call("exporting.add", stale, rows=1, number=0, start=0, size=4, content=b"half")
    execute("UPDATE operations SET lease_until = now() - interval '1 second' WHERE id = %s", operation.pk)
    work()
    with pytest.raises(exporting.NotOurs):
        exporting._call("exporting.add", stale, rows=1, number=99, start=0, size=4, content=b"half")
    operation.refresh_from_db()
    assert [row["id"] for row in rows_of(file_of(operation), "csv")] == list(map(str, ids))


@pytest.fixture
def processes() -> Iterator[Processes]:
    with Processes(DLQ_LEASE_SECONDS="2") as processes:
        yield processes


@pytest.mark.faults
def test_after_a_killed_worker_the_file_is_whole_and_no_row_is_there_twice(letters, processes):
    ids = letters(20_000, payload=PERSONAL)
    operation = ask("export", filter={}, expected=20_000)
    first = processes.start("tests.operations.worker")
    as_soon_as(lambda: Operation.objects.get().selected >= 200)
    first.send_signal(signal.SIGKILL)
    first.wait()
    operation.refresh_from_db()
    assert (operation.status, exporting.export_file(operation)) == ("freezing", None)
    processes.start("tests.operations.worker")
    eventually(lambda: not Operation.objects.filter(status__in=LIVE).exists(), 60)
    assert counts(operation) == ("completed", 20_000, 20_000, 0, 0)
    operation.refresh_from_db()
    assert operation.adoptions == 1
    assert [row["id"] for row in rows_of(file_of(operation), "csv")] == list(map(str, ids))
