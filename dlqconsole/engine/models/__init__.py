"""The tables. People read them through the ORM; what moves a row is in ``engine/sql/``.

Defaults live in the database, so that a plain INSERT from any language is complete.
"""

from dlqconsole.engine.models.dead_letters import Attempt, DeadLetter, EnrichedEvent, PayloadVersion
from dlqconsole.engine.models.flow import Breaker, PacedGroup
from dlqconsole.engine.models.groups import FailureGroup, FailureRule, GroupMerge, OwnerRule
from dlqconsole.engine.models.queues import ArchivedMessage, Message, Queue, QueueActivity
from dlqconsole.engine.models.records import AuditEntry, HandlerReport, IngestedFile
from dlqconsole.engine.models.rollups import DeadLetterCount, DeadLetterHour, RevivalOutcome

__all__ = [
    "ArchivedMessage",
    "Attempt",
    "AuditEntry",
    "Breaker",
    "DeadLetter",
    "DeadLetterCount",
    "DeadLetterHour",
    "EnrichedEvent",
    "FailureGroup",
    "FailureRule",
    "GroupMerge",
    "HandlerReport",
    "IngestedFile",
    "Message",
    "OwnerRule",
    "PacedGroup",
    "PayloadVersion",
    "Queue",
    "QueueActivity",
    "RevivalOutcome",
]
