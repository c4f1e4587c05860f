"""The bad end of a claim: the message becomes a dead letter."""

from functools import cache

from dlqconsole.core import prepared
from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.retry_limits import limits_for_failure
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.messages.claims import MessageClaim
from dlqconsole.core.sql import sql
from dlqconsole.processing.outcomes import Failed


def dead_letter(claim: MessageClaim, identity: Identity, failure: Failed, status: DeadLetterStatus) -> int:
    """Move the message to the dead letters, in one statement. Return the dead letter's id. Raises LeaseLost.

    The trigger of its table calls the next message of its group.
    """
    limits = limits_for_failure(identity.event_type, failure)
    values = {
        "id": claim.id,
        "token": claim.lease_token,
        "event_type": identity.event_type,
        "source": identity.source,
        "source_key": identity.source_key,
        "reason": failure.reason,
        "category": failure.category,
        "stacktrace": failure.stacktrace,
        "status": str(status),
        "fatal": failure.fatal,
        "delay": limits.backoff.seconds(1),
        "schedule_max_retries": limits.max_retries,
    }
    with prepared.pipeline():
        rows = prepared.run(_statement(), values)
    ids = rows()
    if not ids:
        raise LeaseLost(f"The lease on message {claim.id} ran out; its failure was not recorded.")
    return int(ids[0][0])


@cache
def _statement() -> str:
    return sql("messages.bury").replace("{added}", sql("new_letters.add"))
