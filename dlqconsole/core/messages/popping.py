"""Taking messages for good: at most once."""

from dlqconsole.core import prepared
from dlqconsole.core.messages import rate
from dlqconsole.core.messages.claims import MessageClaim, as_claims, claim_text, with_what_came_due
from dlqconsole.core.messages.policies import policy


def pop(queue: str, limit: int = 1, owner: str = "") -> list[MessageClaim]:
    """Take up to ``limit`` due messages off the queue for good: at most once, lost if this process dies.

    Nothing can be given back, retried or dead-lettered. Use ``claim`` for what must not be lost. A revived
    dead letter among them has SUCCEEDED, and its story names ``owner``, else the database's account.
    """
    return with_what_came_due(queue, limit, lambda: _pop(queue, limit, owner))


def _pop(queue: str, limit: int, owner: str) -> list[MessageClaim]:
    queue_policy = policy(queue)
    allowance = rate.take(queue, limit, queue_policy.rate_limit)
    statement = claim_text("messages.pop", allowance, queue_policy.unlogged)
    rows = prepared.run(statement, {"queue": queue, "owner": owner})
    claims = as_claims(queue, rows(), queue_policy.unlogged)
    rate.give_back(queue, allowance - len(claims), queue_policy.rate_limit)
    return claims
