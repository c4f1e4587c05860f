"""Each format gives back what it was given, and says what it cannot hold."""

import pytest

from dlqconsole.processing.formats import FORMATS, parquet, writer, xlsx
from dlqconsole.processing.formats.base import Column, Row, Sort
from tests.exported import formulas, rows_of, sheets

COLUMNS = [
    Column("id", Sort.INTEGER), Column("reason"), Column("at", Sort.MOMENT), Column("payload", Sort.JSON),
    Column("share", Sort.FIGURE),
]  # fmt: skip
AT = "2026-11-26T19:57:16.000001Z"
LONG_NUMBER = "1234567890123456789"


def written(format: str, *rows: Row) -> bytes:
    with writer(format, COLUMNS, "Dead letters") as out:
        pieces = []
        for row in rows:
            out.add(row)
            pieces.append(out.take())
        return b"".join([*pieces, *out.end()])


@pytest.mark.parametrize("format", FORMATS)
def test_rows_are_read_as_they_were_written(format):
    reason = 'two\r\nlines, "quotes", \u2028 and \x0b _x0041_ 漢'
    rows = [[LONG_NUMBER, reason, AT, f'"{LONG_NUMBER}.10"', "0.5"], ["7", "b", AT, "[]", "12.0"]]
    read = rows_of(written(format, *rows), format)
    assert [row["id"] for row in read] == [LONG_NUMBER, "7"]
    assert [row["reason"] for row in read] == [reason, "b"]
    assert [row["at"] for row in read] == [AT, AT]
    assert LONG_NUMBER + ".10" in str(read[0]["payload"])
    assert [float(row["share"] or 0) for row in read] == [0.5, 12.0]


@pytest.mark.parametrize("format", FORMATS)
def test_no_row_is_a_file_with_its_columns(format):
    assert rows_of(written(format), format) == []


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\uff1d1", "  =1", '"=1'])
def test_what_a_spreadsheet_would_run_is_a_text(start):
    [row] = rows_of(written("csv", ["1", start, AT, "1", "1"]), "csv")
    assert row["reason"] == "'" + start
    book = written("xlsx", ["1", start, AT, "1", "1"])
    assert formulas(book) == []
    # the mark is beside the cell: what is read from it is unchanged
    assert rows_of(book, "xlsx")[0]["reason"] == start


def test_excel_reads_a_csv_with_a_byte_order_mark_as_utf8():
    row = ["1", "ä", AT, "1", "1"]
    assert written("csv_bom", row) == b"\xef\xbb\xbf" + written("csv", row)


def test_more_rows_than_a_sheet_holds_go_on_the_next_and_it_is_said_before_and_after(monkeypatch):
    monkeypatch.setattr(xlsx, "SHEET_ROWS", 3)
    rows = [[str(number), "a", AT, "1", "1"] for number in range(5)]
    with writer("xlsx", COLUMNS, "Dead letters") as out:
        for row in rows:
            out.add(row)
        book = b"".join(out.end())
        assert out.notes() == ["It has 3 sheets: one holds 2 rows."]
    assert [len(sheet) for sheet in sheets(book)] == [2, 2, 1]
    assert [row["id"] for row in rows_of(book, "xlsx")] == ["0", "1", "2", "3", "4"]
    assert FORMATS["xlsx"].forecast(5) == "on 3 sheets, as one holds 2 rows"
    assert not FORMATS["xlsx"].forecast(2)


def test_a_text_that_no_cell_of_xlsx_can_hold_says_so_and_is_never_cut():
    with writer("xlsx", COLUMNS, "Dead letters") as out:
        out.add(["1", "x" * 32_767, AT, '"' + "x" * 40_000 + '"', "1"])
        [row] = rows_of(b"".join(out.end()), "xlsx")
        [note] = out.notes()
    assert len(row["reason"] or "") == 32_767
    assert row["payload"] == "‹40,002 characters: too long for a cell›"
    assert note.startswith("1 cell of more than 32,767 characters")


def test_parquet_is_written_group_by_group(monkeypatch):
    monkeypatch.setattr(parquet, "GROUP_ROWS", 2)
    content = written("parquet", *([str(number), "a", AT, "1", "1"] for number in range(5)))
    assert [row["id"] for row in rows_of(content, "parquet")] == ["0", "1", "2", "3", "4"]


def test_who_lacks_pyarrow_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(parquet, "find_spec", lambda name: None)
    assert FORMATS["parquet"].why_not() == parquet.MISSING
    assert "dlqconsole[archive]" in parquet.MISSING
