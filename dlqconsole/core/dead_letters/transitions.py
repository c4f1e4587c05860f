"""Settling claimed dead letters: succeeded, failed again, interrupted. Each by compare-and-set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from dlqconsole.core import successes
from dlqconsole.core.dead_letters.claims import Claim
from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import HandlerResult, StoredEvent, handle
from dlqconsole.core.lifecycle import failures
from dlqconsole.core.lifecycle.retry_limits import limits_for_failure
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.core.sql import sql
from dlqconsole.core.successes import Keeper, Success
from dlqconsole.processing.headers import with_headers
from dlqconsole.processing.outcomes import Failed, Succeeded


@dataclass(frozen=True, slots=True)
class Settling:
    """The result of one claim, and when its handler began.

    A failure is retried after ``delay`` seconds, and no more once ``max_retries`` are used.
    """

    claim: Claim
    handled: HandlerResult
    started_at: datetime
    delay: float
    max_retries: int


@dataclass(frozen=True, slots=True)
class Settled:
    """A dead letter's new status, and its failure group."""

    id: int
    status: str
    group_id: int


class StoredLetter(Protocol):
    """A dead letter, as far as its handler meets it; its payload as JSON text, or as the exact bytes."""

    @property
    def event_type(self) -> str: ...
    @property
    def payload(self) -> str | None: ...
    @property
    def payload_raw(self) -> bytes | None: ...
    @property
    def headers(self) -> Mapping[str, Any]: ...
    @property
    def source(self) -> str: ...
    @property
    def source_key(self) -> str: ...


def stored_event(letter: StoredLetter) -> StoredEvent:
    """Return a dead letter as its queue's consumer would meet it."""
    # Plain data is told who it is, as on a revived message; a CloudEvent names itself.
    names = {"ce_type": letter.event_type, "ce_source": letter.source, "ce_id": letter.source_key}
    headers = with_headers(letter.headers, names)
    return StoredEvent(letter.payload, letter.payload_raw, headers, letter.event_type, letter.source_key)


def handle_claim(claim: Claim) -> HandlerResult:
    """Run the handler of a claimed dead letter, as its queue's consumer would."""
    return handle(stored_event(claim))


def settle(claim: Claim, result: HandlerResult, kind: str, started_at: datetime) -> str:
    """Record the result of a claim. Return the dead letter's new status. Raises LeaseLost."""
    delay, max_retries = 0.0, 0
    if isinstance(result.outcome, Failed):
        limits = limits_for_failure(claim.event_type, result.outcome)
        delay, max_retries = limits.backoff.seconds(claim.retry_count + 1), limits.max_retries
    letters = settle_all([Settling(claim, result, started_at, delay, max_retries)], kind)
    if not letters:
        raise LeaseLost(f"The lease on dead letter {claim.id} ran out; its outcome was not recorded.")
    return letters[0].status


def settle_all(
    results: Sequence[Settling], kind: str, keepers: Sequence[Keeper] | None = None
) -> list[Settled]:
    """Record results. Return those still ours. ``keepers``: those of successes, else this process's."""
    done = [one for one in results if _is_succeeded(one)]
    letters = _settle(sql("claims.succeed"), _success_columns(done), kind)
    ours = {letter.id for letter in letters}
    successes.keep(
        [
            Success(one.handled.identity, one.claim.payload, one.claim.payload_raw, True)
            for one in done
            if one.claim.id in ours
        ],
        keepers,
    )
    others = [one for one in results if not _is_succeeded(one)]
    return letters + _settle(sql("claims.fail_again"), _failure_columns(others), kind)


def interrupt(
    attempts: Sequence[tuple[Claim, datetime]], max_retries: int, kind: str, reason: str
) -> list[Settled]:
    """Set RETRYING claims back to PENDING: an attempt that we stopped ourselves, and nobody's crash."""
    values = {
        "ids": [claim.id for claim, _at in attempts],
        "tokens": [claim.lease_token for claim, _at in attempts],
        "started": [at for _claim, at in attempts],
        "most": [max_retries for _ in attempts],
        "reason": reason,
    }
    return _settle(sql("claims.interrupt"), values, kind)


def _settle(query: str, values: dict[str, Any], kind: str) -> list[Settled]:
    if not values["ids"]:
        return []
    rows = fetch_dicts(query, values | {"kind": kind})
    return [Settled(**row) for row in rows]


def _is_succeeded(one: Settling) -> bool:
    return isinstance(one.handled.outcome, Succeeded)


def _lease_keys(results: Sequence[Settling]) -> dict[str, Any]:
    return {
        "ids": [one.claim.id for one in results],
        "tokens": [one.claim.lease_token for one in results],
        "started": [one.started_at for one in results],
    }


def _success_columns(results: Sequence[Settling]) -> dict[str, Any]:
    outcomes = [one.handled.outcome for one in results]
    return _lease_keys(results) | {
        "occurred": [one.handled.identity.occurred_at for one in results],
        "digests": [one.handled.identity.digest for one in results],
        "records": [outcome.record_json for outcome in outcomes if isinstance(outcome, Succeeded)],
    }


def _failure_columns(results: Sequence[Settling]) -> dict[str, Any]:
    # claims without a handler are given back instead
    outcomes = [one.handled.outcome for one in results if isinstance(one.handled.outcome, Failed)]
    return _lease_keys(results) | {
        "statuses": [failure.status for failure in outcomes],
        "most": [one.max_retries for one in results],
        "delays": [one.delay for one in results],
        "fatal": [failure.fatal for failure in outcomes],
        "reasons": [failure.reason for failure in outcomes],
        "categories": [failure.category for failure in outcomes],
        "traces": [failure.stacktrace for failure in outcomes],
        "max_crashes": failures.MAX_CRASHES,
        "max_timeouts": failures.MAX_TIMEOUTS,
    }
