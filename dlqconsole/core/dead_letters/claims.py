"""Claims on dead letters: taken under a lease, begun, extended, given back, freed where their worker died.

Each is one compare-and-set statement. An attempt counts from the moment when its handler begins: what was
claimed and never begun is given back as it was, whoever gives it back.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from dlqconsole.core.host import host
from dlqconsole.core.lifecycle import failures, retry_limits
from dlqconsole.core.lifecycle.retry_limits import limits_for_group
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.sql import sql
from dlqconsole.processing.categories import RETRIED_BY_MACHINE
from dlqconsole.processing.headers import read_headers


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
    # so many workers or handler processes have died of it
    crash_count: int
    retry_after: datetime
    lease_token: UUID
    # as it was before: what is given back becomes so again
    status_before: str
    operation_before: int | None
    # the failure group that it was in
    group_id: int = 0


@dataclass(frozen=True, slots=True)
class ClaimRequest:
    """Up to ``room`` of one lane: an event type in some categories, of all failure groups or not of all.

    A dead letter that does not say how many tries it has has ``max_retries``. ``slowed``: failure groups of
    which no more than so many are taken; the others do not wait behind these. ``only_queues``: those of these
    queues alone.
    """

    event_type: str
    room: int
    max_retries: int
    lease: float
    categories: tuple[str, ...] = tuple(sorted(RETRIED_BY_MACHINE))
    only_groups: tuple[int, ...] | None = None
    but_groups: tuple[int, ...] | None = None
    slowed: Mapping[int, int] = field(default_factory=dict)
    only_queues: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Due:
    """The claims, a list for each request, and the numbers of those without tries left: EXHAUSTED now."""

    claims: list[list[Claim]]
    exhausted: list[int]

    def __len__(self) -> int:
        return sum(map(len, self.claims)) + sum(self.exhausted)


def claim_due(requests: Sequence[ClaimRequest], owner: str, but: Sequence[int] = ()) -> Due:
    """Claim due dead letters, the longest due first, and none of the ids in ``but``."""
    rows = fetch_dicts(sql("claims.claim_due"), due_values(requests, but) | {"owner": owner})
    due = Due([[] for _ in requests], [0 for _ in requests])
    for row in rows:
        lane, status = row.pop("lane"), row.pop("status")
        if status == DeadLetterStatus.RETRYING:
            due.claims[lane].append(claim_of(row))
        else:
            due.exhausted[lane] += 1
    for claims in due.claims:
        claims.sort(key=lambda claim: (claim.retry_after, claim.id))
    return due


def any_due(requests: Sequence[ClaimRequest], but: Sequence[int] = ()) -> bool:
    """Tell whether anything of these is due, claimed by nobody."""
    return bool(fetch_column(sql("claims.any_due"), due_values(requests, but))[0])


def claim_these(
    ids: Sequence[int],
    owner: str,
    lease_seconds: float,
    operation_id: int | None,
    payload_version: int | None = None,
) -> list[Claim]:
    """Claim and begin those of ``ids`` that a person may retry; the others are not touched.

    ``payload_version``: only with the payload that the person saw; None: as it stands.
    """
    values = {
        "ids": list(ids),
        "owner": owner,
        "lease": lease_seconds,
        "operation_id": operation_id,
        "payload_version": payload_version,
    }
    rows = fetch_dicts(sql("claims.claim_these"), values)
    return sorted((claim_of(row) for row in rows), key=lambda claim: claim.id)


def begin(claims: Sequence[Claim], lease_seconds: Sequence[float]) -> dict[int, datetime]:
    """Note that their handlers are about to run; since when, by id. Others hold the missing ones."""
    rows = fetch_dicts(sql("claims.begin"), _lease_keys(claims) | {"leases": list(lease_seconds)})
    return {row["id"]: row["begun_at"] for row in rows}


def extend(claims: Sequence[Claim], lease_seconds: Sequence[float]) -> set[int]:
    """Lengthen the leases that are still held, each by its own time. Return their ids."""
    return set(fetch_column(sql("claims.extend"), _lease_keys(claims) | {"leases": list(lease_seconds)}))


def give_back(claims: Sequence[Claim]) -> int:
    """Restore claims that were not begun as they were before. Return how many were still ours."""
    before = {
        "statuses": [claim.status_before for claim in claims],
        "operations": [claim.operation_before for claim in claims],
    }
    return len(fetch_column(sql("claims.give_back"), _lease_keys(claims) | before))


def reclaim() -> list[dict[str, Any]]:
    """Free dead workers' claims. Return rows of ``id``, new ``status``, and whether it ``was_begun``."""
    with host().atomic():
        stale = fetch_dicts(sql("claims.stale"), {})
        limits = [limits_for_group(row["event_type"], row["group_id"]) for row in stale]
        values = {
            "ids": [row["id"] for row in stale],
            "most": [each.max_retries for each in limits],
            "delays": [
                each.backoff.seconds(row["retry_count"] + 1) for each, row in zip(limits, stale, strict=True)
            ],
            "max_crashes": failures.MAX_CRASHES,
        }
        return fetch_dicts(sql("claims.reclaim"), values) if stale else []


def oldest_attempt_seconds() -> float | None:
    """Return how long the oldest running attempt has been running; None: none is."""
    seconds: float | None = fetch_column(sql("claims.oldest_attempt"), {})[0]
    return seconds


def due_values(requests: Sequence[ClaimRequest], but: Sequence[int] = ()) -> dict[str, Any]:
    """Return the parameters of such a statement; ``requests`` are its lanes."""
    lanes = [
        asdict(one) | {"lane": lane, "slowed": list(one.slowed), "slowed_rooms": list(one.slowed.values())}
        for lane, one in enumerate(requests)
    ]
    return {"lanes": json.dumps(lanes), "but": list(but), **retry_limits.come_back_values()}


def claim_of(row: Mapping[str, Any]) -> Claim:
    """Return the claim of a statement's row."""
    raw = row["payload_raw"]
    return Claim(
        **{
            **row,
            "payload_raw": None if raw is None else bytes(raw),
            "headers": read_headers(row["headers"]),
        }
    )


def _lease_keys(claims: Sequence[Claim]) -> dict[str, Any]:
    return {"ids": [claim.id for claim in claims], "tokens": [claim.lease_token for claim in claims]}
