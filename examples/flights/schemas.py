"""The shape of the events' data, as JSON Schema."""

from typing import Any

_TEXT = {"type": "string", "minLength": 1}
_NUMBER = {"type": "number"}
_WHOLE = {"type": "integer"}
_WHOLE_OR_NULL = {"type": ["integer", "null"]}

FLIGHT: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A scheduled flight, after the day it was due",
    "type": "object",
    "required": ["year", "month", "day", "carrier", "flight", "origin", "dest", "time_hour", "dep_time"],
    "properties": {
        "year": _WHOLE,
        "month": {"type": "integer", "minimum": 1, "maximum": 12},
        "day": {"type": "integer", "minimum": 1, "maximum": 31},
        "carrier": _TEXT,
        "flight": _WHOLE,
        "tailnum": {"type": ["string", "null"]},
        "origin": _TEXT,
        "dest": _TEXT,
        "time_hour": _TEXT,
        "dep_time": _WHOLE_OR_NULL,
        "dep_delay": _WHOLE_OR_NULL,
        "arr_time": _WHOLE_OR_NULL,
        "arr_delay": _WHOLE_OR_NULL,
        "distance": _WHOLE_OR_NULL,
    },
}

WEATHER: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "An hourly observation; wind direction and gusts may be missing, the rest may not",
    "type": "object",
    "required": ["origin", "time_hour", "temp", "dewp", "humid", "wind_speed", "pressure", "visib"],
    "properties": {
        "origin": _TEXT,
        "time_hour": _TEXT,
        "temp": _NUMBER,
        "dewp": _NUMBER,
        "humid": _NUMBER,
        "wind_speed": _NUMBER,
        "pressure": _NUMBER,
        "visib": _NUMBER,
    },
}

AIRCRAFT: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A plane as registered",
    "type": "object",
    "required": ["tailnum", "year", "model", "seats"],
    "properties": {"tailnum": _TEXT, "year": _WHOLE, "model": _TEXT, "seats": _WHOLE},
}
