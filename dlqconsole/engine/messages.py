"""Messages on queues: send, claim under a lease, and what becomes of the claim."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson

from dlqconsole.engine.errors import InvalidMessage, LeaseLost
from dlqconsole.engine.handling import Handled
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.sql import sql
from dlqconsole.processing.outcomes import Succeeded
from dlqconsole.processing.payloads import decode


@dataclass(frozen=True, slots=True)
class Claim:
    """A message that this consumer holds, until its lease runs out. ``retry_count``: attempts begun."""

    id: int
    queue: str
    payload: str | None
    payload_raw: bytes | None
    headers: Mapping[str, Any]
    retry_count: int
    max_retries: int | None
    lease_token: UUID
    dlq_event_id: int | None


def send(
    queue: str, payload: bytes | str, headers: Mapping[str, str] | None = None, *, limit: int = 1024 * 1024
) -> int:
    """Put one message on a queue, in the caller's transaction; its id.

    ``payload`` is JSON text. Raises InvalidMessage when it is not, or is over ``limit`` bytes.
    """
    if not queue or len(queue) > 255 or "\x00" in queue:
        raise InvalidMessage("A queue's name has 1 to 255 characters and no NUL.")
    decoded = decode(payload, limit)
    if decoded.state != "ok":
        raise InvalidMessage(f"The payload cannot be sent: {decoded.problem}.")
    values = {
        "queue": queue,
        # text in, text out: the server parses what the producer wrote, no float of ours in between
        "payload": decoded.json_text,
        "payload_raw": decoded.raw,
        "headers": orjson.dumps(dict(headers or {})).decode(),
    }
    return int(fetch_column(sql("messages.send"), values)[0])


def claim(queue: str, limit: int, owner: str, lease_seconds: float) -> list[Claim]:
    """Claim up to ``limit`` due messages of a queue that is not paused, in order. Counts the attempt."""
    values = {"queue": queue, "limit": limit, "owner": owner, "lease": lease_seconds}
    return _claims(fetch_dicts(sql("messages.claim"), values))


def extend(claims: Sequence[Claim], lease_seconds: float) -> set[int]:
    """Lengthen the leases of what is still held; the ids that are."""
    return set(fetch_column(sql("messages.extend"), _held_values(claims) | {"lease": lease_seconds}))


def complete(claim: Claim, handled: Handled) -> None:
    """Remove the message and keep its record; a revived dead letter becomes SUCCEEDED. Raises LeaseLost."""
    assert isinstance(handled.outcome, Succeeded)  # noqa: S101  (the consumer has looked)
    values = {
        "id": claim.id,
        "token": claim.lease_token,
        "event_type": handled.identity.event_type[:255],
        "source": handled.identity.source,
        "source_key": handled.identity.source_key,
        "occurred_at": handled.identity.occurred_at,
        "record": handled.outcome.record_json,
    }
    _held(claim, fetch_column(sql("messages.complete"), values))


def retry_later(claim: Claim, delay_seconds: float, reason: str) -> None:
    """Leave the message on its queue for another attempt after ``delay_seconds``. Raises LeaseLost."""
    values = {"id": claim.id, "token": claim.lease_token, "delay": delay_seconds, "reason": reason}
    _held(claim, fetch_column(sql("messages.retry_later"), values))


def release(claims: Sequence[Claim]) -> int:
    """Give back what was claimed and not begun, its attempt not counted; how many were still ours."""
    return len(fetch_column(sql("messages.release"), _held_values(claims)))


def stage() -> int:
    """Make scheduled messages that have come due claimable; how many (1,000 at most)."""
    return len(fetch_column(sql("messages.stage"), {}))


def reclaim(max_crashes: int) -> list[int]:
    """Make messages of dead consumers claimable again; their ids."""
    return fetch_column(sql("messages.reclaim"), {"max_crashes": max_crashes})


def claim_crashed(max_crashes: int, lease_seconds: float) -> list[Claim]:
    """Claim what has crashed its consumer ``max_crashes`` times, to quarantine it."""
    values = {"max_crashes": max_crashes, "lease": lease_seconds}
    return _claims(fetch_dicts(sql("messages.claim_crashed"), values))


def _claims(rows: list[dict[str, Any]]) -> list[Claim]:
    # RETURNING keeps no order
    rows.sort(key=lambda row: (-row["priority"], row["id"]))
    return [_claim(row) for row in rows]


def _claim(row: dict[str, Any]) -> Claim:
    del row["priority"]
    raw, headers = row["payload_raw"], row["headers"]
    row["payload_raw"] = None if raw is None else bytes(raw)
    row["headers"] = orjson.loads(headers) if isinstance(headers, str) else headers
    return Claim(**row)


def _held_values(claims: Sequence[Claim]) -> dict[str, Any]:
    return {"ids": [claim.id for claim in claims], "tokens": [claim.lease_token for claim in claims]}


def _held(claim: Claim, ids: list[Any]) -> None:
    if not ids:
        raise LeaseLost(f"The lease on message {claim.id} ran out; its outcome was not recorded.")
