"""Lines of a file that PostgreSQL writes by itself: where nothing is masked, no row has to become texts here.

They are byte for byte the lines of ``processing/formats``; a test compares them. A format that is missing
here is written there only.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dlqconsole.operations.pages.sheets import Sheet
from dlqconsole.operations.sql import sql
from dlqconsole.processing.formats.base import FORMULA_RUNS, FORMULA_SKIPS, FORMULA_STARTS, SUSPECTS, Column

# no text of JSON has these, so COPY quotes nothing
_AS_IT_STANDS = r"FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02'"


@dataclass(frozen=True, slots=True)
class CopiedLines:
    """``row``: the SELECT list of a row; ``options``: those of its COPY; ``line``: the line of COPY's."""

    row: Callable[[tuple[Column, ...]], str]
    options: str
    line: Callable[[bytes], bytes]

    def statement(self, sheet: Sheet) -> str:
        """The COPY of a sheet's rows."""
        return sql("exporting.copied").format(
            row=self.row(sheet.columns), query=sheet.query, options=self.options
        )


def _cells(columns: tuple[Column, ...]) -> str:
    defused = sql("exporting.defused")
    codes = {
        "suspect": _codes(sorted(SUSPECTS)),
        "runs": _codes(FORMULA_RUNS),
        "starts": _codes(FORMULA_STARTS),
        "skips": "".join(f"\\u{ord(character):04x}" for character in FORMULA_SKIPS),
    }
    return ", ".join(
        defused.format(column=column.name, **codes) if column.is_foreign else f"r.{column.name}"
        for column in columns
    )


def _codes(characters: Iterable[str]) -> str:
    return ", ".join(str(ord(character)) for character in characters)


def _object(columns: tuple[Column, ...]) -> str:
    pieces = []
    for place, column in enumerate(columns):
        start = ("{" if place == 0 else ", ") + f'"{column.name}": '
        name = "exporting.bare" if column.is_bare else "exporting.quoted"
        pieces += [f"'{start}'", sql(name).format(column=column.name)]
    return f"concat({', '.join(pieces)}, '}}')"


def _csv_line(line: bytes) -> bytes:
    return line[:-1] + b"\r\n"


def _json_line(line: bytes) -> bytes:
    if line.isascii():
        return line
    return (
        line.replace(b"\xc2\x85", b"\\u0085")
        .replace(b"\xe2\x80\xa8", b"\\u2028")
        .replace(b"\xe2\x80\xa9", b"\\u2029")
    )


_CELLS = CopiedLines(_cells, "FORMAT csv, FORCE_QUOTE *", _csv_line)
COPIED: dict[str, CopiedLines] = {
    "csv": _CELLS,
    "csv_bom": _CELLS,
    "jsonl": CopiedLines(_object, _AS_IT_STANDS, _json_line),
}
