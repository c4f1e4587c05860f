"""Who works on an operation: one worker at a time, under a lease with a token."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from dlqconsole.engine.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.operations.models import Kind
from dlqconsole.operations.sql import sql


@dataclass(frozen=True, slots=True)
class Held:
    """An operation in this worker's hands. ``status`` is as it was when taken up."""

    id: int
    kind: str
    status: str
    token: UUID
    lease_seconds: float
    parameters: Mapping[str, Any]
    # items a second; None: as fast as it goes
    rate: int | None
    # a canary's stage; None without one
    stage: int | None
    source_operation_id: int | None

    def values(self) -> dict[str, object]:
        """What every statement of this worker shows."""
        return {"id": self.id, "token": self.token, "lease": self.lease_seconds}


def next_waiting() -> int | None:
    """An operation that is in nobody's hands and has work left."""
    found = fetch_column(sql("operations.waiting"), {})
    return int(found[0]) if found else None


def waits_to_be_frozen(held: Held) -> int | None:
    """A fresher operation that still has to make its selection: that does not wait for many pages."""
    found = fetch_column(sql("operations.waits_to_be_frozen"), {"id": held.id})
    return int(found[0]) if found else None


def adopt(operation_id: int, owner: str) -> Held | None:
    """Take an operation up; None when somebody else is at it, or it is over."""
    leases = {"lease": lease_seconds(""), "retry_lease": lease_seconds(Kind.RETRY)}
    values = {"id": operation_id, "owner": owner, **leases}
    for row in fetch_dicts(sql("operations.adopt"), values):
        return Held(
            row["id"],
            row["kind"],
            row["status"],
            row["lease_token"],
            lease_seconds(row["kind"]),
            json.loads(row["parameters"]),
            row["rate"],
            row["stage"],
            row["source_operation_id"],
        )
    return None


def lease_seconds(kind: str) -> float:
    """A handler may take its whole time while nobody extends the lease."""
    longest_step = settings.DLQ_HANDLER_TIMEOUT if kind == Kind.RETRY else 0
    return float(settings.DLQ_OPERATION_LEASE_SECONDS + longest_step)


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
