"""The flights demo, as often as is asked for, each time as events of its own; or a part of it."""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count, islice
from pathlib import Path

from examples.flights.preparation import prepare

EVENTS = 366_213
EVENTS_PER_FILE = 25_000
# one for all programs, which read what others have signed
SECRET_KEY = secrets.token_urlsafe(50)
_SOURCE = re.compile(rb'"source":"([^"]+)"')


def lay_out(folder: Path, number: int) -> Path:
    """Write lookup tables, and so many events in files of some thousands; the folder of the files.

    Fewer than the demo has are a sample of the whole year.
    """
    target = folder / f"events-{number}"
    if target.exists():
        return target
    prepare(folder)
    target.mkdir()
    step = max(EVENTS // number, 1)
    lines = islice(_lines(folder / "events"), 0, number * step, step)
    with ExitStack() as open_files:
        for done, line in enumerate(lines):
            if done % EVENTS_PER_FILE == 0:
                open_files.close()
                path = target / f"part-{done // EVENTS_PER_FILE:03}.jsonl"
                file = open_files.enter_context(path.open("wb"))
            file.write(line)
    return target


def _lines(folder: Path) -> Iterator[bytes]:
    """All lines again and again; from the second time on their sources bear a number."""
    for again in count(1):
        source = _SOURCE if again > 1 else None
        for path in sorted(folder.glob("*.jsonl")):
            for line in path.open("rb"):
                yield source.sub(rb'"source":"\1-%d"' % again, line, count=1) if source else line


def environment(folder: Path, url: str) -> dict[str, str]:
    """What every program here is started with."""
    return os.environ | {
        "DATABASE_URL": url,
        "SECRET_KEY": SECRET_KEY,
        "DLQ_HTTPS": "false",
        "DJANGO_SETTINGS_MODULE": "dlqconsole.settings",
        "DLQ_HANDLERS": "examples.flights.handlers",
        "DLQ_REPORTS": "examples.flights.reports",
        "FLIGHTS_DATA_DIR": str(folder),
        "DLQ_DATA_DIR": str(folder / "data"),
        "LOG_LEVEL": "ERROR",
        "PYTHONWARNINGS": "ignore",
    }
