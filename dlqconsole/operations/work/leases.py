"""Leases of operations: one worker at a time works on an operation, under a lease with a token."""

import json
from collections.abc import Callable

from django.conf import settings

from dlqconsole.core.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.hosting.database import transaction
from dlqconsole.operations import kinds
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages.work import OperationLease, OperationWork, Pages
from dlqconsole.operations.requests.service import with_undo
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.sentences import stored

UNKNOWN_KIND = stored(
    "No worker that is running knows this kind of operation; restart the workers with the new code."
)
# the time for a worker that knows it to take it up
UNKNOWN_KIND_SECONDS = 60.0


def next_waiting() -> int | None:
    """The next operation without a lease that has work left and is of a kind that this worker knows."""
    ids = fetch_column(sql("operations.waiting"), {"kinds": kinds.names()})
    return int(ids[0]) if ids else None


def next_to_freeze(lease: OperationLease) -> int | None:
    """A newer operation that has yet to store its selection: it must not wait for many pages."""
    values = {"id": lease.id, "kinds": kinds.names()}
    ids = fetch_column(sql("operations.waits_to_be_frozen"), values)
    return int(ids[0]) if ids else None


def note_unknown() -> list[int]:
    """Note on their receipts that operations wait for workers with newer code; return their numbers."""
    values = {"kinds": kinds.names(), "unknown": UNKNOWN_KIND, "seconds": UNKNOWN_KIND_SECONDS}
    return [int(number) for number in fetch_column(sql("operations.note_unknown"), values)]


def adopt(operation_id: int, owner: str) -> OperationLease | None:
    """Lease an operation; None when another worker has it, it is over, or its kind is not known here."""
    longest = {kind.name: kind.longest_step() for kind in kinds.every()}
    lease_seconds = float(settings.DLQ_LEASE_SECONDS)
    steps = {"longest_steps": json.dumps(longest), "unknown": UNKNOWN_KIND}
    values = {"id": operation_id, "owner": owner, "lease": lease_seconds} | steps
    for row in fetch_dicts(sql("operations.adopt"), values):
        kind = kinds.get(row["kind"])
        return OperationLease(
            row["id"],
            row["kind"],
            row["status"],
            row["lease_token"],
            lease_seconds + kind.longest_step(),
            kind.stored_options(json.loads(row["parameters"])),
            row["rate"],
            row["stage"],
            row["source_operation_id"],
        )
    return None


def put_down(lease: OperationLease, rest: float = 0.0, note: str = "") -> bool:
    """Give the lease back; the next worker may take it after ``rest`` seconds."""
    values = {"id": lease.id, "token": lease.token, "rest": rest, "note": note}
    return bool(fetch_column(sql("operations.put_down"), values))


def finish(lease: OperationLease) -> str:
    """End the operation if all is done; return its final status. Empty: work or no lease is left."""
    with transaction.atomic():
        statuses = fetch_column(with_undo(sql("operations.finish")), {"id": lease.id, "token": lease.token})
        if statuses:
            execute(sql("operations.count_groups"), {"id": lease.id})
    return str(statuses[0]) if statuses else ""


def pace(lease: OperationLease, items: int) -> float:
    """Note a page of so many items; return the seconds until the next may begin, by the operation's rate."""
    values = {"id": lease.id, "token": lease.token, "items": items}
    seconds = fetch_column(sql("operations.pace"), values) if lease.rate else []
    return float(seconds[0]) if seconds else 0.0


def wait(lease: OperationLease) -> float:
    """The seconds until a page may begin; the last page of any worker sets them."""
    return float(fetch_column(sql("operations.wait"), {"id": lease.id})[0]) if lease.rate else 0.0


def pages_of(lease: OperationLease, owner: str, is_over: Callable[[], bool]) -> Pages:
    """The pages for the operation that this worker leases."""
    kind = kinds.get(lease.kind)
    work = OperationWork(
        lease=lease,
        owner=owner,
        is_over=is_over,
        eligible=kind.eligible(),
        why_not=kind.why_not(),
        left_by=kinds.left_by(),
        did=kinds.did(),
        changed=kind.counts_as_changed,
    )
    return _undo_pages(work) if kind.takes_back else kind.pages(work)


def _undo_pages(work: OperationWork) -> Pages:
    source = Operation.objects.only("kind", "parameters").get(pk=work.lease.source_operation_id or 0)
    kind = kinds.get(source.kind)
    return kind.undo_pages(work, kind.stored_options(source.parameters))
