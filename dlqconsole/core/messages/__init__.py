"""Messages on queues: send, claim under a lease, and settle the claim."""

from dlqconsole.core.messages.choices import TypeChoice
from dlqconsole.core.messages.claims import MessageClaim, claim, pop
from dlqconsole.core.messages.completion import archive, complete, complete_handled
from dlqconsole.core.messages.failing import dead_letter, fail, retry_later
from dlqconsole.core.messages.leases import extend, release, snooze
from dlqconsole.core.messages.reader import QueueReader
from dlqconsole.core.messages.sending import NewMessage, send, send_many
from dlqconsole.core.messages.settling import ClaimResult, process, settle
from dlqconsole.core.messages.staging import seconds_until_due, stage
from dlqconsole.core.messages.unblocking import unblock_forgotten
from dlqconsole.core.messages.unhandled import call_handled, put_back

__all__ = [
    "ClaimResult",
    "MessageClaim",
    "NewMessage",
    "QueueReader",
    "TypeChoice",
    "archive",
    "call_handled",
    "claim",
    "complete",
    "complete_handled",
    "dead_letter",
    "extend",
    "fail",
    "pop",
    "process",
    "put_back",
    "release",
    "retry_later",
    "seconds_until_due",
    "send",
    "send_many",
    "settle",
    "snooze",
    "stage",
    "unblock_forgotten",
]
