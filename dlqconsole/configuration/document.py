"""The README's table of settings, written from the table here."""

from pathlib import Path

from .setting import Number, Row
from .table import TABLE

BEGIN = "<!-- settings: written by `python -m dlqconsole.configuration` -->"
END = "<!-- end of settings -->"
HEAD = ["| setting | default | allowed | meaning |", "|---|---|---|---|"]


def rendered() -> str:
    """The table in Markdown, one row a setting, in the order of the table."""
    return "\n".join([*HEAD, *map(_line, TABLE)])


def with_table(text: str) -> str:
    """The document with the table between its two marks. Raises ValueError when it has no marks."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"there is no {BEGIN} … {END}")
    return f"{before}{BEGIN}\n{rendered()}\n{END}{after}"


def write_table(document: Path) -> None:
    """Put the table into a document that has the two marks."""
    document.write_text(with_table(document.read_text(encoding="utf-8")), encoding="utf-8")


def _line(row: Row) -> str:
    return f"| `{row.name}` | {_default(row)} | {_allowed(row)} | {row.meaning} |"


def _default(row: Row) -> str:
    if row.example:
        return "**required**"
    if row.shown_default:
        return row.shown_default
    return f"`{row.default_text}`" if row.default_text else ""


def _allowed(row: Row) -> str:
    if isinstance(row, Number):
        return f"{row.low:,} to {row.high:,}{' ' + row.unit if row.unit else ''}"
    return row.allowed
