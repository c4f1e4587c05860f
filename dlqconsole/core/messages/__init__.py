"""Messages on queues: send, claim under a lease, and settle the claim."""

from dlqconsole.core.messages.claims import MessageClaim, TypeChoice, claim, pop
from dlqconsole.core.messages.completion import archive, complete, complete_handled, exchange
from dlqconsole.core.messages.leases import (
    call_handled,
    extend,
    put_back,
    release,
    seconds_until_due,
    snooze,
    stage,
    unblock_forgotten,
)
from dlqconsole.core.messages.reader import QueueReader
from dlqconsole.core.messages.results import EventResult, wait_for_result
from dlqconsole.core.messages.sending import NewMessage, send, send_many
from dlqconsole.core.messages.settling import (
    ClaimResult,
    dead_letter,
    fail,
    process,
    process_all,
    retry_later,
    settle,
)

__all__ = [
    "ClaimResult",
    "EventResult",
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
    "exchange",
    "extend",
    "fail",
    "pop",
    "process",
    "process_all",
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
    "wait_for_result",
]
