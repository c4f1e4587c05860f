"""An export is the frozen selection, each row once, masked, and harmless wherever it is opened."""

import csv
import gzip
import hashlib
import io
import json
import signal
from collections.abc import Iterator

import pytest

from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.models import LIVE, ExportChunk, Operation
from dlqconsole.operations.pages import exporting
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.work import leases
from dlqconsole.operations.work.freezing import freeze
from tests.operations.conftest import ask, column, counts, execute, work
from tests.operations.processes import Processes
from tests.waiting import as_soon_as, eventually

pytestmark = pytest.mark.django_db(transaction=True)


def exported(operation: Operation) -> str:
    return gzip.decompress(b"".join(exporting.parts(operation.pk))).decode()


def cells(operation: Operation) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(exported(operation), newline="")))


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


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_export_is_the_selection_in_order_and_its_receipt_describes_the_file(letters, settings, format):
    settings.DLQ_OPERATION_PAGE = 7
    ids = letters(50)
    letters(5, "another")
    operation = export(format, filter={"type": "order.created"})
    assert counts(operation) == ("completed", 50, 50, 0, 0)
    rows = cells(operation) if format == "csv" else [json.loads(x) for x in exported(operation).splitlines()]
    assert [int(row["id"]) for row in rows] == ids
    file = b"".join(exporting.parts(operation.pk))
    assert operation.result == {
        "rows": 50, "bytes": len(file), "parts": 8, "sha256": hashlib.sha256(file).hexdigest(),
        "format": format, "masked": True,
    }  # fmt: skip
    assert exporting.finish(operation.pk, {"format": "csv"}) == operation.result


PERSONAL = '{"email": "joe@example.org", "n": 1234567890123456789.10, "note": "card 4111 1111 1111 1111"}'


def test_personal_data_is_masked_in_payload_headers_reason_and_trace(letters):
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
    for format in ("csv", "jsonl"):
        text = exported(export(format))
        assert not any(secret in text for secret in ("joe@", "4111", "abc123", "hunter2", "am9lQ"))
        assert "1234567890123456789.10" in text


def test_unmasked_only_where_the_operation_says_so(letters):
    letters(1, payload=PERSONAL)
    (row,) = cells(export(masked=False))
    assert json.loads(row["payload"], parse_float=str) == json.loads(PERSONAL, parse_float=str)
    [line] = exported(export("jsonl", masked=False)).splitlines()
    assert json.loads(line)["payload"]["email"] == "joe@example.org"


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\uff1d1", "  =1", '"=1'])
def test_a_cell_that_a_spreadsheet_would_run_is_made_text(letters, start, scorecard):
    letters(1, start)
    (row,) = cells(export())
    scorecard("formula cells", tried=1, broke=[] if row["event_type"] == "'" + start else [start])
    assert exported(export()).count("\r\n") == 2


def test_poison_rows_are_exported_whole_and_harm_nobody(letters):
    poison = ["[" * 1500 + "]" * 1500, "1e131071", '{"n": ' + "7" * 5000 + "}", '"a\u2028b\u2029c\u0085d"']
    for payload in poison:
        letters(1, payload=payload)
    letters(1, payload=None, payload_raw=b"\x00\xff\xfe")
    letters(1, payload='{"good": 1}')
    operation = export("jsonl")
    assert counts(operation) == ("completed", 6, 6, 0, 0)
    lines = exported(operation).splitlines()
    assert len(lines) == 6
    assert json.loads(lines[3])["payload"] == "a\u2028b\u2029c\u0085d"
    assert '"n": ' + "7" * 5000 in lines[2]
    assert len(cells(export("csv"))) == 6


def test_a_row_that_cannot_be_written_fails_alone(letters, monkeypatch):
    ids = letters(5)
    made = exporting.line_maker

    def breaks(format, is_masked):
        line = made(format, is_masked)
        return lambda row: line(row) if row[0] != str(ids[2]) else 1 / 0

    monkeypatch.setattr(exporting, "line_maker", breaks)
    operation = export()
    assert counts(operation) == ("completed", 5, 4, 0, 1)
    assert "ZeroDivisionError" in receipt.items(operation.pk, fate="failed")[0].reason
    assert [int(row["id"]) for row in cells(operation)] == [*ids[:2], *ids[3:]]


def test_what_went_meanwhile_is_skipped_and_large_payloads_make_small_parts(letters):
    small = letters(2)
    execute(
        "INSERT INTO dlq_events (event_type, payload)"
        " SELECT 'large', jsonb_build_object('text', repeat('x', 1000000)) FROM generate_series(1, 20)"
    )
    ids = column("SELECT id FROM dlq_events ORDER BY id")
    operation = ask("export", filter={}, parameters={"format": "jsonl"})
    held = leases.adopt(operation.pk, "me")
    assert freeze(held, deadline=1e12)
    leases.put_down(held)
    execute("DELETE FROM dlq_events WHERE id = %s", small[0])
    work()
    assert counts(operation) == ("completed", 22, 21, 1, 0)
    assert receipt.items(operation.pk, fate="skipped")[0].reason == "no longer exists"
    assert [json.loads(line)["id"] for line in exported(operation).splitlines()] == ids[1:]
    parts = [len(gzip.decompress(part)) for part in exporting.parts(operation.pk)]
    assert len(parts) == 3
    assert max(parts) < exporting.PAGE_CHARACTERS + 2_000_000


def test_an_export_of_nothing_is_a_file_with_its_header(letters):
    operation = export(filter={"type": "none"})
    assert exported(operation).startswith('"id","event_type"')
    assert operation.result["rows"] == 0
    assert exported(export("jsonl", filter={"type": "none"})) == ""


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


@pytest.fixture
def processes() -> Iterator[Processes]:
    started = Processes(DLQ_LEASE_SECONDS="2", DLQ_OPERATION_PAGE="500")
    yield started
    started.kill_all()


@pytest.mark.faults
@pytest.mark.faults
def test_a_killed_worker_costs_a_page_and_no_row_is_there_twice(letters, processes):
    ids = letters(20_000, payload=PERSONAL)
    operation = ask("export", filter={}, expected=20_000)
    first = processes.start("tests.operations.worker")
    as_soon_as(lambda: Operation.objects.get().done >= 3_000)
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert counts(operation)[0] == "running"
    processes.start("tests.operations.worker")
    eventually(lambda: not Operation.objects.filter(status__in=LIVE).exists(), 60)
    eventually(lambda: Operation.objects.get().result)
    assert counts(operation) == ("completed", 20_000, 20_000, 0, 0)
    assert operation.adoptions == 1
    assert [int(row["id"]) for row in cells(operation)] == ids
