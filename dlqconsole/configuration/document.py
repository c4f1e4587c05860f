"""The table of settings in docs/settings.md."""

from pathlib import Path
from typing import Any, get_args

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from .settings import FIELDS

BEGIN = "<!-- settings: written by `python -m dlqconsole.configuration` -->"
END = "<!-- end of settings -->"
HEAD = "| setting | default | allowed | meaning |\n|---|---|---|---|"


def table() -> str:
    """The table in Markdown, a row for each setting."""
    rows = (
        f"| `{name}` | {shown_default(field)} | {_allowed(field)} | {field.description} |"
        for name, field in FIELDS.items()
    )
    return "\n".join([HEAD, *rows])


def with_table(text: str) -> str:
    """Put the table between the two marks of a document."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def write_table(document: Path) -> None:
    """Write the table into a document that has the two marks."""
    document.write_text(with_table(document.read_text(encoding="utf-8")), encoding="utf-8")


def shown_default(field: FieldInfo) -> str:
    """The default as a person types it, or in words."""
    if field.is_required():
        return "**required**"
    extra: Any = field.json_schema_extra
    text = (extra or {}).get("shown") or default_text(field.default)
    return text if "`" in text or text == "none" else f"`{text}`"


def default_text(value: Any) -> str:
    """A default as it stands in the environment."""
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, bool):
        return str(value).lower()
    return (",".join(value) if isinstance(value, list) else str(value)) or "none"


def _allowed(field: FieldInfo) -> str:
    bounds = {type(each).__name__: each for each in field.metadata}
    if field.annotation is bool:
        return "true, false"
    if {"Ge", "Le"} <= bounds.keys():
        return f"{bounds['Ge'].ge:,} to {bounds['Le'].le:,}"
    return ", ".join(each for each in get_args(field.annotation) if isinstance(each, str))
