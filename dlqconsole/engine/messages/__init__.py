"""Messages on queues: send, claim under a lease, and settle the claim."""

from dlqconsole.engine.messages.choices import TypeChoice
from dlqconsole.engine.messages.claims import MessageClaim, claim
from dlqconsole.engine.messages.completion import archive, complete, complete_handled
from dlqconsole.engine.messages.dead_lettering import dead_letter
from dlqconsole.engine.messages.leases import extend, release, retry_later, snooze
from dlqconsole.engine.messages.popping import pop
from dlqconsole.engine.messages.reader import QueueReader
from dlqconsole.engine.messages.sending import NewMessage, send, send_many
from dlqconsole.engine.messages.staging import seconds_until_due, stage
from dlqconsole.engine.messages.unblocking import unblock_forgotten
from dlqconsole.engine.messages.unhandled import call_handled, put_back

__all__ = [
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
    "pop",
    "put_back",
    "release",
    "retry_later",
    "seconds_until_due",
    "send",
    "send_many",
    "snooze",
    "stage",
    "unblock_forgotten",
]
