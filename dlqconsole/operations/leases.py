"""Who works on an operation: one worker at a time, under a lease with a token."""

import json

from django.conf import settings
from django.db import transaction

from dlqconsole.engine.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.operations import kinds
from dlqconsole.operations.sql import sql
from dlqconsole.operations.work import Held

UNKNOWN_KIND = (
    "No worker that is running knows this kind of operation; restart the workers with the new code."
)
# how long a worker that knows it has time to take it up
UNKNOWN_KIND_SECONDS = 60.0


def next_waiting() -> int | None:
    """An operation that is in nobody's hands, has work left, and is of a kind that this worker knows."""
    found = fetch_column(sql("operations.waiting"), {"kinds": kinds.names()})
    return int(found[0]) if found else None


def waits_to_be_frozen(held: Held) -> int | None:
    """A fresher operation that still has to make its selection: that does not wait for many pages."""
    values = {"id": held.id, "kinds": kinds.names()}
    found = fetch_column(sql("operations.waits_to_be_frozen"), values)
    return int(found[0]) if found else None


def note_unknown() -> list[int]:
    """Say on their receipts which operations wait for workers with newer code; the operations."""
    values = {"kinds": kinds.names(), "unknown": UNKNOWN_KIND, "seconds": UNKNOWN_KIND_SECONDS}
    return [int(found) for found in fetch_column(sql("operations.note_unknown"), values)]


def adopt(operation_id: int, owner: str) -> Held | None:
    """Take an operation up; None when somebody else is at it, it is over, or its kind is not known here."""
    longest = {kind.name: kind.longest_step() for kind in kinds.every()}
    lease = float(settings.DLQ_LEASE_SECONDS)
    steps = {"longest_steps": json.dumps(longest), "unknown": UNKNOWN_KIND}
    values = {"id": operation_id, "owner": owner, "lease": lease} | steps
    for row in fetch_dicts(sql("operations.adopt"), values):
        kind = kinds.get(row["kind"])
        return Held(
            row["id"],
            row["kind"],
            row["status"],
            row["lease_token"],
            lease + kind.longest_step(),
            kind.stored(json.loads(row["parameters"])),
            row["rate"],
            row["stage"],
            row["source_operation_id"],
        )
    return None


def put_down(held: Held, rest: float = 0.0, note: str = "") -> bool:
    """Leave the operation to whoever comes next, after ``rest`` seconds."""
    values = {"id": held.id, "token": held.token, "rest": rest, "note": note}
    return bool(fetch_column(sql("operations.put_down"), values))


def finish(held: Held) -> str:
    """Completed or cancelled, where it is; empty when there is work left or it is not ours."""
    with transaction.atomic():
        found = fetch_column(with_undo(sql("operations.finish")), {"id": held.id, "token": held.token})
        if found:
            execute(sql("operations.count_groups"), {"id": held.id})
    return str(found[0]) if found else ""


def with_undo(query: str) -> str:
    """A query that ends an operation, and says until when it may be undone."""
    return query.replace("{undo_until}", sql("operations.undo_until"))


def pace(held: Held, items: int) -> float:
    """After a page with so many items: the seconds until the next may begin, for the operation's rate."""
    values = {"id": held.id, "token": held.token, "items": items}
    found = fetch_column(sql("operations.pace"), values) if held.rate else []
    return float(found[0]) if found else 0.0


def wait(held: Held) -> float:
    """The seconds until a page may begin; another worker may have set them."""
    return float(fetch_column(sql("operations.wait"), {"id": held.id})[0]) if held.rate else 0.0
