"""Moves of dead letters: claim, succeed, fail again, give back. Each is one compare-and-set statement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from dlqconsole.engine.errors import LeaseLost
from dlqconsole.engine.handling import Handled, Stored, handle
from dlqconsole.engine.lifecycle import failures
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.sql import sql
from dlqconsole.processing.headers import read_headers, with_headers
from dlqconsole.processing.outcomes import Failed, Succeeded


@dataclass(frozen=True, slots=True)
class Claim:
    """A dead letter that this process holds, until its lease runs out."""

    id: int
    event_type: str
    payload: str | None
    payload_raw: bytes | None
    headers: Mapping[str, Any]
    source: str
    source_key: str
    retry_count: int
    max_retries: int | None
    lease_token: UUID
    # as it was before: what is given back becomes so again
    status_before: str
    operation_before: int | None


def claim_due(
    limit: int, owner: str, lease_seconds: float, event_types: Sequence[str], but: Sequence[int] = ()
) -> list[Claim]:
    """Claim up to ``limit`` dead letters that the schedule may retry now, the longest due first.

    Only those of ``event_types``, for which the caller has handlers, and none of the ids in ``but``.
    """
    values = {
        "limit": limit,
        "owner": owner,
        "lease": lease_seconds,
        "event_types": list(event_types),
        "but": list(but),
    }
    rows = fetch_dicts(sql("dead_letters.claim_due"), values)
    return sorted((_claim(row) for row in rows), key=lambda claim: claim.id)


def any_due(event_types: Sequence[str]) -> bool:
    """Whether the schedule would find anything of these types."""
    return bool(fetch_column(sql("dead_letters.any_due"), {"event_types": list(event_types)})[0])


def claim_these(
    ids: Sequence[int],
    owner: str,
    lease_seconds: float,
    operation_id: int | None,
    payload_version: int | None = None,
) -> list[Claim]:
    """Claim those of ``ids`` that a person may retry; the others are not touched.

    ``payload_version``: only with the payload that the person saw; None: as it stands.
    """
    values = {
        "ids": list(ids),
        "owner": owner,
        "lease": lease_seconds,
        "operation_id": operation_id,
        "payload_version": payload_version,
    }
    rows = fetch_dicts(sql("dead_letters.claim_these"), values)
    return sorted((_claim(row) for row in rows), key=lambda claim: claim.id)


def handle_claim(claim: Claim) -> Handled:
    """Run the handler of a claimed dead letter, as its queue's consumer would."""
    # Plain data is told who it is, as on a revived message; a CloudEvent names itself.
    named = {"ce_type": claim.event_type, "ce_source": claim.source, "ce_id": claim.source_key}
    headers = with_headers(claim.headers, named)
    return handle(Stored(claim.payload, claim.payload_raw, headers, claim.event_type, claim.source_key))


def settle(claim: Claim, handled: Handled, kind: str, started_at: datetime) -> str:
    """Record what came of a claim; the dead letter's new status. Raises LeaseLost when it is not ours."""
    if isinstance(handled.outcome, Succeeded):
        return succeed(claim, handled, kind, started_at)
    assert isinstance(handled.outcome, Failed)  # noqa: S101  (what is unhandled is given back)
    return fail_again(claim, handled.outcome, kind, started_at)


def succeed(claim: Claim, handled: Handled, kind: str, started_at: datetime) -> str:
    """RETRYING → SUCCEEDED, with the enriched record, in one statement."""
    assert isinstance(handled.outcome, Succeeded)  # noqa: S101  (settle() has looked)
    values = {
        "id": claim.id,
        "token": claim.lease_token,
        "kind": kind,
        "started_at": started_at,
        "occurred_at": handled.identity.occurred_at,
        "record": handled.outcome.record_json,
    }
    return _held(claim, fetch_column(sql("dead_letters.succeed"), values))


def fail_again(claim: Claim, failure: Failed, kind: str, started_at: datetime) -> str:
    """RETRYING → PENDING with a later date, EXHAUSTED at the maximum, or QUARANTINED.

    What is fatal counts as a crash: the third is the last.
    """
    values = {
        "id": claim.id,
        "token": claim.lease_token,
        "kind": kind,
        "started_at": started_at,
        "status": failure.status,
        "max_retries": settings.DLQ_RETRY_MAX_RETRIES,
        "delay": failures.dead_letter_delay(claim.retry_count),
        "reason": failure.reason,
        "category": failure.category,
        "stacktrace": failure.stacktrace,
        "fatal": failure.fatal,
        "max_crashes": failures.MAX_CRASHES,
    }
    return _held(claim, fetch_column(sql("dead_letters.fail_again"), values))


def extend(claims: Sequence[Claim], lease_seconds: float) -> set[int]:
    """Lengthen the leases of what is still held; the ids that are."""
    return set(fetch_column(sql("dead_letters.extend"), _held_values(claims) | {"lease": lease_seconds}))


def give_back(claims: Sequence[Claim]) -> int:
    """Make what was claimed and not begun as it was before the claim; how many were still ours."""
    before = {
        "statuses": [claim.status_before for claim in claims],
        "operations": [claim.operation_before for claim in claims],
    }
    return len(fetch_column(sql("dead_letters.give_back"), _held_values(claims) | before))


def exhaust(event_types: Sequence[str]) -> int:
    """PENDING → EXHAUSTED for what is due, of these types, and has no retries left; how many."""
    values = {"max_retries": settings.DLQ_RETRY_MAX_RETRIES, "event_types": list(event_types)}
    return len(fetch_column(sql("dead_letters.exhaust"), values))


def reclaim() -> list[dict[str, Any]]:
    """Free what dead workers held; rows of ``id`` and new ``status``."""
    values = {
        "max_crashes": failures.MAX_CRASHES,
        "max_retries": settings.DLQ_RETRY_MAX_RETRIES,
        "delay": settings.DLQ_RETRY_BACKOFF_BASE,
    }
    return fetch_dicts(sql("dead_letters.reclaim"), values)


def _claim(row: Mapping[str, Any]) -> Claim:
    raw = row["payload_raw"]
    return Claim(
        **{
            **row,
            "payload_raw": None if raw is None else bytes(raw),
            "headers": read_headers(row["headers"]),
        }
    )


def _held_values(claims: Sequence[Claim]) -> dict[str, Any]:
    return {"ids": [claim.id for claim in claims], "tokens": [claim.lease_token for claim in claims]}


def _held(claim: Claim, statuses: list[str]) -> str:
    if not statuses:
        raise LeaseLost(f"The lease on dead letter {claim.id} ran out; its outcome was not recorded.")
    return statuses[0]
