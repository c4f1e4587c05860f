"""Columns of an Arrow batch as Python's values; bytes that are no text come back as ``base64:…``."""

import base64
from typing import Any

BASE64 = "base64:"


def values_of(column: Any) -> list[bytes | None]:
    """The bytes of a binary or string column. What Spark calls a string need not be UTF-8."""
    import pyarrow as pa

    wide = pa.types.is_large_string(column.type)
    if wide or pa.types.is_string(column.type):
        column = column.cast(pa.large_binary() if wide else pa.binary())
    values: list[bytes | None] = column.to_pylist()
    return values


def texts_of(column: Any) -> list[str | None]:
    """A column as text: strings, bytes, or whole numbers."""
    import pyarrow as pa

    if pa.types.is_integer(column.type):
        return [None if value is None else str(value) for value in column.to_pylist()]
    return [None if value is None else text_of(value) for value in values_of(column)]


def pairs_of(column: Any) -> list[tuple[tuple[str, bytes | None], ...]]:
    """The headers of each row in their order, from a map, or from Kafka's list of key and value."""
    import pyarrow as pa

    if pa.types.is_map(column.type):
        names, values = texts_of(column.keys), values_of(column.items)
    else:
        entries = column.values
        names, values = texts_of(entries.field("key")), values_of(entries.field("value"))
    offsets = column.offsets.to_pylist()
    validity = column.is_valid().to_pylist()
    return [
        _pairs(names[start:end], values[start:end]) if there else ()
        for start, end, there in zip(offsets, offsets[1:], validity, strict=False)
    ]


def headers_of(column: Any) -> list[dict[str, str]]:
    """The headers of each row as text: of two of one name the later holds."""
    return [
        {name.replace("\x00", "\ufffd"): text_of(value) for name, value in pairs if value}
        for pairs in pairs_of(column)
    ]


def text_of(value: bytes) -> str:
    """The bytes as text."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return BASE64 + base64.b64encode(value).decode()


def _pairs(names: list[str | None], values: list[bytes | None]) -> tuple[tuple[str, bytes | None], ...]:
    return tuple((name, value) for name, value in zip(names, values, strict=True) if name)
