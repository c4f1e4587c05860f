"""Values that hold no others, as JSON and back."""

from __future__ import annotations

import base64
import datetime
import decimal
import math
import re
import uuid
from collections.abc import Callable
from typing import Any

TYPE, VALUE = "$type", "value"
_EXACT = decimal.Context(prec=60)
INT64 = range(-(2**63), 2**63)
UNSAFE = re.compile("[\0\ud800-\udfff]")
_ESCAPED = re.compile("[\\\\\0\ud800-\udfff]")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")


class Unkept(Exception):
    """Why a value cannot be kept."""


def _str(value: str) -> Any:
    if not UNSAFE.search(value):
        return value
    return {TYPE: "str", VALUE: _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", value)}


def _int(value: int) -> Any:
    if value in INT64:
        return value
    return {TYPE: "int", VALUE: str(value) if value.bit_length() < 1024 else hex(value)}


def _float(value: float) -> Any:
    text = repr(value)
    # jsonb writes 1e+16 as an integer, and knows no -0.0
    if math.isfinite(value) and "e" not in text and text != "-0.0":
        return value
    return {TYPE: "float", VALUE: text}


def _datetime(value: datetime.datetime) -> Any:
    encoded: dict[str, Any] = {TYPE: "datetime", VALUE: value.isoformat()}
    if value.fold:
        encoded["fold"] = 1
    if zone := getattr(value.tzinfo, "key", None):
        encoded["zone"] = zone
    return encoded


def _decode_datetime(encoded: dict[str, Any]) -> datetime.datetime:
    moment = datetime.datetime.fromisoformat(encoded[VALUE]).replace(fold=encoded.get("fold", 0))
    if "zone" not in encoded:
        return moment
    from zoneinfo import ZoneInfo

    return moment.replace(tzinfo=ZoneInfo(encoded["zone"]))


def _time(value: datetime.time) -> Any:
    if value.tzinfo and not isinstance(value.tzinfo, datetime.timezone):
        raise Unkept("a time of day in a zone cannot be kept: pass a datetime")
    return {TYPE: "time", VALUE: value.isoformat(), **({"fold": 1} if value.fold else {})}


def _decode_time(encoded: dict[str, Any]) -> datetime.time:
    return datetime.time.fromisoformat(encoded[VALUE]).replace(fold=encoded.get("fold", 0))


def _timedelta(value: datetime.timedelta) -> Any:
    microseconds = value // datetime.timedelta(microseconds=1)
    return {TYPE: "timedelta", VALUE: str(decimal.Decimal(microseconds).scaleb(-6, _EXACT))}


def _decode_timedelta(encoded: dict[str, Any]) -> datetime.timedelta:
    microseconds = decimal.Decimal(encoded[VALUE]).scaleb(6, _EXACT)
    return datetime.timedelta(microseconds=int(microseconds))


ENCODERS: dict[type, Callable[[Any], Any]] = {
    type(None): lambda value: value,
    bool: lambda value: value,
    str: _str,
    int: _int,
    float: _float,
    bytes: lambda value: {TYPE: "bytes", VALUE: base64.b64encode(value).decode()},
    decimal.Decimal: lambda value: {TYPE: "decimal", VALUE: str(value)},
    uuid.UUID: lambda value: {TYPE: "uuid", VALUE: str(value)},
    datetime.datetime: _datetime,
    datetime.date: lambda value: {TYPE: "date", VALUE: value.isoformat()},
    datetime.time: _time,
    datetime.timedelta: _timedelta,
}

SCALAR_DECODERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "str": lambda encoded: _ESCAPE.sub(lambda found: chr(int(found[1], 16)), encoded[VALUE]),
    "int": lambda encoded: int(encoded[VALUE], 0),
    "float": lambda encoded: float(encoded[VALUE]),
    "bytes": lambda encoded: base64.b64decode(encoded[VALUE], validate=True),
    "decimal": lambda encoded: decimal.Decimal(encoded[VALUE]),
    "uuid": lambda encoded: uuid.UUID(encoded[VALUE]),
    "datetime": _decode_datetime,
    "date": lambda encoded: datetime.date.fromisoformat(encoded[VALUE]),
    "time": _decode_time,
    "timedelta": _decode_timedelta,
}
