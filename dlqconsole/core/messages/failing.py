"""The bad end of an attempt: the message is tried again, or becomes a dead letter."""

from typing import Any

from dlqconsole.core import prepared
from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.retry_limits import limits_for_failure
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.messages.claims import MessageClaim
from dlqconsole.core.sql import sql
from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.outcomes import Failed


def fail(claim: MessageClaim, identity: Identity, failure: Failed, *, note: bool = False) -> int | None:
    """Try the message again later, or make it a dead letter: its queue's policy decides. Raises LeaseLost.

    Return the dead letter's id, if it became one. ``note``: also for the queue's figures, which a consumer of
    many adds up itself.
    """
    return _fail(claim, failure, _letter(identity, failure) | {"note": note})


def dead_letter(claim: MessageClaim, identity: Identity, failure: Failed, status: DeadLetterStatus) -> int:
    """Move the message to the dead letters. Return the dead letter's id. Raises LeaseLost."""
    letter_id = _fail(
        claim, failure, _letter(identity, failure) | {"is_decided": True, "status": str(status)}
    )
    assert letter_id is not None  # noqa: S101
    return letter_id


def retry_later(
    claim: MessageClaim,
    delay_seconds: float,
    reason: str,
    *,
    category: str = UNKNOWN,
    stacktrace: str = "",
    fatal: bool = False,
) -> None:
    """Leave the message on its queue for another attempt after ``delay_seconds``. Raises LeaseLost.

    The failed attempt is kept, with the reason in its row on the queue, too. ``fatal``: its process died of
    it, which is counted until it fails otherwise.
    """
    failure = Failed(reason, category, "", stacktrace, fatal=fatal)
    _fail(claim, failure, {"is_decided": True, "delay": float(delay_seconds)})


def _letter(identity: Identity, failure: Failed) -> dict[str, Any]:
    """The values of the dead letter that it may become."""
    limits = limits_for_failure(identity.event_type, failure)
    return {
        "event_type": identity.event_type,
        "source": identity.source,
        "source_key": identity.source_key,
        "letter_delay": limits.backoff.seconds(1),
        "letter_max_retries": limits.max_retries,
    }


def _fail(claim: MessageClaim, failure: Failed, more: dict[str, Any]) -> int | None:
    values = {
        "event_type": None,
        "source": None,
        "source_key": None,
        "is_decided": False,
        "status": None,
        "delay": None,
        "letter_delay": 0.0,
        "letter_max_retries": None,
        "note": False,
        "id": claim.id,
        "token": claim.lease_token,
        "reason": failure.reason,
        "category": failure.category,
        "ruled_category": failure.ruled_category,
        "stacktrace": failure.stacktrace,
        "fatal": failure.fatal,
    }
    rows = prepared.run(sql("messages.fail"), values | more)()
    if not rows:
        raise LeaseLost(f"The lease on message {claim.id} ran out; its outcome was not recorded.")
    letter_id: int | None = rows[0][1]
    return letter_id
