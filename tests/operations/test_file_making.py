"""A file of dead letters is what the filter matches, exactly, and opens nowhere as a formula."""

import base64
import csv
import io
import json
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.operations.pages import file_making
from dlqconsole.operations.pages.copied_lines import COPIED
from dlqconsole.operations.pages.export_rows import letters
from dlqconsole.operations.pages.file_making import FileMaking
from dlqconsole.processing.formats.base import FORMULA_RUNS, FORMULA_SKIPS, FORMULA_STARTS
from tests.exported import rows_of
from tests.plain_sql import execute, value

# An export reads through its own connection, so the rows must be committed.
pytestmark = pytest.mark.django_db(transaction=True)


def exported(format: str, **parameters: str) -> str:
    rows = DeadLetterFilter.parse(parameters).queryset()
    return b"".join(FileMaking(letters(rows), format).bytes()).decode()


def unmasked(format: str) -> bytes:
    return b"".join(FileMaking(letters(DeadLetterFilter().queryset(), is_masked=False), format).bytes())


def cells(**parameters: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(exported("csv", **parameters), newline="")))


def objects(**parameters: str) -> Iterator[dict]:
    return (
        json.loads(line, parse_float=str, parse_int=str)
        for line in exported("jsonl", **parameters).splitlines()
    )


def test_export_holds_exactly_what_the_filter_matches(letter):
    wanted = {str(letter("a", status="EXHAUSTED")) for _ in range(3)}
    letter("a"), letter("b", status="EXHAUSTED")
    assert {row["id"] for row in cells(type="a", status="EXHAUSTED")} == wanted
    assert {row["id"] for row in objects(type="a", status="EXHAUSTED")} == wanted


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\tx",
        "\rx",
        "  =1",
        '"=1',
        "'=1",
        "\uff1d1",
        "\uff0b1",
        "\uff0d1",
        "\uff20x",
        ";=1",
        "\u00a0=1",
    ],
)
def test_cell_that_a_spreadsheet_would_run_is_made_text(letter, cell, scorecard):
    letter(cell, error_reason=cell)
    [row] = cells()
    run = [name for name in ("event_type", "error_reason") if row[name] != "'" + cell]
    scorecard("formula cells", tried=2, broke=run)


def test_harmless_cells_and_numbers_stay_as_they_are(letter):
    letter("order.created", error_reason="a = b - 1", retry_count=3)
    [row] = cells()
    assert (row["event_type"], row["error_reason"], row["retry_count"]) == ("order.created", "a = b - 1", "3")


def test_lines_end_as_the_standard_says_and_breaks_within_cells_survive(letter):
    letter(error_reason='two\nlines, and "quotes"')
    text = exported("csv")
    assert text.endswith("\r\n")
    [row] = cells()
    assert row["error_reason"] == 'two\nlines, and "quotes"'


def test_numbers_of_a_payload_are_exact(letter):
    digits = "9" * 5000
    letter(payload=f'{{"n": 1234567890123456789.10, "long": {digits}}}')
    [row] = cells()
    assert row["payload"] == f'{{"n": 1234567890123456789.10, "long": {digits}}}'
    [line] = objects()
    assert line["payload"] == {"n": "1234567890123456789.10", "long": digits}


def test_what_some_readers_take_for_a_line_end_is_escaped_in_json_lines(letter):
    letter(payload='{"s": "a\u2028b\u2029c\u0085d"}', error_reason="x\u2028y")
    text = exported("jsonl")
    assert len(text.splitlines()) == 1
    assert json.loads(text)["payload"] == {"s": "a\u2028b\u2029c\u0085d"}


@pytest.mark.parametrize("payload", ["[" * 1500 + "]" * 1500, "1e131071", '{"n": ' + "7" * 5000 + "}"])
def test_poison_payloads_are_exported_whole(letter, payload):
    letter(payload=payload)
    letter("next")
    assert len(cells()) == len(exported("jsonl").splitlines()) == 2


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b'{"n": 1, "n": 2}', '{"n": 1, "n": 2}'),
        (b"to joe@example.org \x00", "to ‹email› \x00"),
        (b"\xff" * 1234, "‹1,234 bytes that are no text›"),
    ],
)
def test_raw_bytes_are_exported_as_base64_and_what_is_no_text_only_by_its_size(letter, raw, shown):
    letter(payload_raw=raw)
    [row] = cells()
    [line] = objects()
    assert (row["payload"], line["payload"]) == ("", None)
    assert row["payload_raw_base64"] == line["payload_raw_base64"]
    assert base64.b64decode(row["payload_raw_base64"]).decode() == shown


def test_personal_data_never_leaves_by_this_door(letter):
    letter(payload='{"email": "joe@example.org", "n": 1.50}', error_reason="no user joe@example.org")
    for format in ("csv", "jsonl"):
        assert "joe@" not in exported(format)
    [row] = cells()
    assert (row["payload"], row["error_reason"]) == ('{"n": 1.50, "email": "‹email›"}', "no user ‹email›")


HOSTILE = [
    *(f"{skipped}{start}1" for skipped in ("", *FORMULA_SKIPS) for start in FORMULA_STARTS),
    *(f"{first}x" for first in FORMULA_SKIPS + FORMULA_RUNS),
    *(f"{FORMULA_SKIPS}{end}" for end in ("", "=", "x")),
    "",
    "a\u2028b\u2029c\u0085d",
    'two\nlines\r\n, "quotes" and \\ backslashes \\n',
    "".join(map(chr, range(1, 0x100))),
    "\\.",
    "Aufträge \u6f22 \U0001f600",
]


@pytest.mark.parametrize("format", COPIED)
def test_postgresql_writes_the_lines_that_we_write(letter, monkeypatch, format):
    for text in HOSTILE:
        letter(text or "x", error_reason=text, payload=json.dumps(text), error_stacktrace=text)
    letter(payload='{"n": 1234567890123456789.10, "deep": [[], {}, null, -1e400]}', payload_raw=b"\xff=\x00")
    letter(payload="-1", headers='{"a": "=1"}')
    copied = unmasked(format)
    monkeypatch.setattr(file_making, "COPIED", {})
    assert copied == unmasked(format)
    assert len(rows_of(copied, format)) == len(HOSTILE) + 2


def test_reader_who_goes_away_ends_the_query(letter):
    execute(
        "INSERT INTO dlq_events (event_type, payload, error_reason) "
        "SELECT 'x', '1', repeat('long ', 200) FROM generate_series(1, 2000)"
    )
    making = FileMaking(letters(DeadLetterFilter().queryset()), "csv")
    contents = making.bytes()
    next(contents)
    contents.close()
    assert 0 < making.row_count < 2000
    assert (
        value(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND query LIKE 'COPY%' AND state = 'active'"
        )
        == 0
    )


def test_a_file_that_is_forgotten_writes_nothing_by_itself(letter):
    """The garbage collector may come in the middle of a statement on the same connection."""
    letter()
    contents = FileMaking(letters(DeadLetterFilter().queryset()), "csv").bytes()
    next(contents)
    with CaptureQueriesContext(connection) as captured:
        del contents
    assert captured.captured_queries == []


def test_what_is_set_for_an_export_never_reaches_a_pool(monkeypatch):
    """Read-only for the export must not be read-only for the next request."""
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "pool", {"max_size": 1})
    own = file_making._own_connection()
    try:
        assert own.pool is None
    finally:
        own.close()
