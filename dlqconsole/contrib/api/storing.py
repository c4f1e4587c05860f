"""Store failures, all of a request or none and each once, however often it is sent; close what recovered."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4, uuid5

from django.db import IntegrityError
from psycopg.errors import UniqueViolation

from dlqconsole.contrib.api.problems import Problem
from dlqconsole.contrib.api.reading import Failure
from dlqconsole.core.named_sql import fetch_column, fetch_dicts, load
from dlqconsole.core.transient_errors import retry_transient, sqlstate
from dlqconsole.hosting.database import transaction

sql = load(Path(__file__).parent)
# never changes: each report ever made under a key depends on it
_KEYS = UUID("9d3f2c54-6d1b-5f0e-8a34-7b1f0c2ad6e1")
KEY_LIMIT = 255
_ANOTHER = (
    "This Idempotency-Key came with another failure before. Give each request a key of its own, and the same"
    " request the same key again."
)


def store(reporter: str, key: str | None, failures: Sequence[Failure]) -> list[tuple[int, int | None]]:
    """Return of each failure its dead letter's id and group; None: it is gone meanwhile. Raises Problem."""
    # two requests with the same events take their rows in one order
    order = sorted(range(len(failures)), key=lambda at: (failures[at].source, failures[at].source_key or ""))
    rows = [asdict(failures[at]) for at in order]
    values: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]}
    values |= {
        "reporter": reporter,
        "report_id": [_report_id(reporter, failures[at].report, key, at) for at in order],
    }
    try:
        ids, groups = retry_transient(lambda: _stored(values))
    except IntegrityError as error:
        if sqlstate(error) != UniqueViolation.sqlstate:
            raise
        raise Problem(422, _ANOTHER) from error
    by_place = dict(zip(order, ids, strict=True))
    return [(by_place[at], groups.get(by_place[at])) for at in range(len(failures))]


def _stored(values: Mapping[str, Any]) -> tuple[list[int], dict[int, int]]:
    with transaction.atomic():
        ids = fetch_column(sql("reports.store"), values)
        rows = fetch_dicts(sql("reports.groups"), {"ids": ids})
    return ids, {row["id"]: row["group_id"] for row in rows}


def _report_id(reporter: str, report: str | None, key: str | None, place: int) -> UUID:
    """Return the id of a report: without a key one of its own, for a commit whose end nobody saw."""
    if report is not None:
        return uuid5(_KEYS, f"{reporter}\n{report}")
    return uuid4() if key is None else uuid5(_KEYS, f"{reporter}\n{key}\n{place}")


def close(reporter: str, source: str, key: str) -> bool:
    """Close the dead letter of an event that was reported here; return whether this changed something."""
    values = {"reporter": reporter, "source": source, "key": key}

    def recover() -> bool:
        with transaction.atomic():
            return bool(fetch_dicts(sql("reports.recover"), values)[0]["recovered"])

    return retry_transient(recover)
