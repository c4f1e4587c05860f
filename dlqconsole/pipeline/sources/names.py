"""The meaning of a file's name: whether it holds JSON lines, and which type its events are of."""

import re
from dataclasses import dataclass

FORMATS = (".jsonl", ".ndjson", ".json")
PACKINGS = (".gz", ".gzip", ".zst", ".zstd", ".bz2")
# another door's: Spark reads them well, and a row of theirs is no line of bytes
_TABLES = {".csv": "CSV", ".tsv": "CSV", ".parquet": "Parquet", ".avro": "Avro", ".orc": "ORC"}
_NO_LINES = (".tar", ".zip", ".xml", ".xlsx", ".sql", ".html", ".yaml", ".yml")
_TEXTS = (".log", ".txt")

_DAY = r"(?:19|20)\d\d(-?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])"
_CLOCK = r"(?:[T_-]?(?:[01]\d|2[0-3])(?:[-:.]?[0-5]\d){0,2}Z?|-\d{10})?"
# the ending that a rotation adds: a number, or a day and perhaps a time
_ROTATION = re.compile(rf"(?:\.\d{{1,4}}|[._-]{_DAY}{_CLOCK})\Z")
_A_DAY = re.compile(rf"(?<=[._-]){_DAY}")
# orders.jsonl-20261122.1 and the like: a day, a number, and no more
_MOST_ROTATIONS = 2


@dataclass(frozen=True, slots=True)
class FileName:
    """A file's name, taken apart.

    ``event_type``: of events that name none. ``refusal``: why a folder's file of this name is not read.
    ``is_packed``: it says that it is. ``day``: what a rotation has added, where that is a day.
    """

    event_type: str
    refusal: str = ""
    is_packed: bool = False
    day: str = ""


def read_name(name: str) -> FileName:
    """Take a name without folders apart: ``Order.Created.JSONL.2.gz`` has events of ``Order.Created``."""
    bare = _without(name, PACKINGS)
    is_packed = bare != name
    day = "".join(match[0] for match in _A_DAY.finditer(bare))
    whole = _without_rotation(bare)
    stem = _without(whole, FORMATS)
    if stem != whole:
        return FileName(_without_rotation(stem)[:255] or "events", "", is_packed, day)
    refusal = _refusal(whole, is_packed)
    if is_packed and not refusal:
        return FileName(_without(whole, _TEXTS)[:255] or "events", "", is_packed, day)
    return FileName(name.partition(".")[0][:255] or "events", refusal, is_packed, day)


def _refusal(bare: str, is_packed: bool) -> str:
    ending = bare[bare.rfind(".") :].lower() if "." in bare else ""
    if ending in _TABLES:
        return f"is {_TABLES[ending]}, which is read as a DataFrame (run_handlers)"
    if is_packed and ending not in _NO_LINES:
        return ""  # its name does not say what is in it, and nobody packs a note
    return "is not named as JSON lines are"


def _without_rotation(name: str) -> str:
    for _ in range(_MOST_ROTATIONS):
        name = _ROTATION.sub("", name) or name
    return name


def _without(name: str, endings: tuple[str, ...]) -> str:
    small = name.lower()
    return next((name[: -len(ending)] for ending in endings if small.endswith(ending)), name)
