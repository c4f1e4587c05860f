"""Lay out the demo's files: four lookup tables to edit, and a year of events to ingest."""

import shutil
from collections.abc import Iterable
from itertools import batched
from pathlib import Path
from typing import Any

import orjson

from .events import STREAMS
from .files import replacing
from .source import open_table

TABLES = ("airlines", "airports", "planes", "weather")

# Events per file: small enough that progress shows, large enough that Spark is not all start-up.
EVENTS_PER_FILE = 15_400
FILES_OF = {"aircraft": 1, "weather": 2, "flights": 22}


def prepare(directory: Path) -> list[Path]:
    """Write whatever is missing and return it; a table that somebody edited is never touched."""
    return [*_prepare_tables(directory), *_prepare_events(directory / "events")]


def _prepare_tables(directory: Path) -> list[Path]:
    missing = [path for name in TABLES if not (path := directory / f"{name}.csv").exists()]
    for path in missing:
        with open_table(path.stem) as source, replacing(path) as target:
            shutil.copyfileobj(source, target)
    return missing


def _prepare_events(directory: Path) -> list[Path]:
    new_files = []
    for order, (name, events) in enumerate(STREAMS.items()):
        paths = [directory / f"{order}-{name}-{part:02}.jsonl" for part in range(FILES_OF[name])]
        if all(path.exists() for path in paths):
            continue
        for path, part in zip(paths, batched(events(), EVENTS_PER_FILE), strict=True):
            if not path.exists():
                _write_lines(path, part)
                new_files.append(path)
    return new_files


def _write_lines(path: Path, events: Iterable[dict[str, Any]]) -> None:
    with replacing(path) as file:
        for event in events:
            file.write(orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE))
