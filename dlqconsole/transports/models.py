"""Queues of other systems that somebody attached, and what was sent back to them."""

from django.db import models
from django.db.models.functions import Now

from dlqconsole.engine.lifecycle.failures import QueuePolicy


class AttachedQueue(models.Model):
    """A queue of another system. Its name, <transport>:<remote_name>, is its dead letters' queue."""

    name = models.CharField(max_length=255, primary_key=True)
    # no choices: anybody may register a system
    transport = models.CharField(max_length=16, db_comment="its system, as its name begins")
    remote_name = models.CharField(max_length=249)
    max_deliveries = models.IntegerField(
        db_default=5,
        db_comment="deliveries after which a message that nobody completed becomes a dead letter",
    )
    lease_seconds = models.IntegerField(
        db_default=60, db_comment="seconds one of our own consumers holds a message"
    )
    created_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(null=True, db_comment="when its system last answered, to about 5 s")

    class Meta:
        db_table = "attached_queues"
        db_table_comment = (
            "A queue of another system. Its name, <transport>:<remote_name>, is its dead letters' queue."
        )
        constraints = [
            models.UniqueConstraint(fields=["transport", "remote_name"], name="attached_queues_once"),
            models.CheckConstraint(
                condition=models.Q(max_deliveries__gte=1, lease_seconds__gte=1), name="attached_queues_bounds"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def policy(self) -> QueuePolicy:
        """How our consumers treat its messages."""
        return QueuePolicy(self.max_deliveries, self.lease_seconds)


class ForwardedMessage(models.Model):
    """A revived dead letter on its way through its queue of origin, until that queue has let go of it."""

    dlq_event_id = models.BigIntegerField()
    revive_seq = models.IntegerField()
    queue = models.CharField(max_length=255)
    remote_id = models.CharField(
        max_length=255, db_comment="whatever its system calls a message: a number, a UUID, an offset"
    )
    forwarded_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "forwarded_messages"
        db_table_comment = (
            "A revived dead letter on its way through its queue of origin, until that queue has let go of it."
        )
        constraints = [
            models.UniqueConstraint(fields=["dlq_event_id", "revive_seq"], name="forwarded_messages_once"),
        ]
        indexes = [models.Index(fields=["queue", "remote_id"], name="forwarded_messages_remote")]

    def __str__(self) -> str:
        return f"dead letter {self.dlq_event_id} as message {self.remote_id} on {self.queue}"


class SourcePosition(models.Model):
    """How far a partition of a log was read. Losing it costs time only: the tables know what is done."""

    pk = models.CompositePrimaryKey("log", "part")
    log = models.CharField(max_length=400, db_comment="a topic of one cluster")
    part = models.IntegerField()
    position = models.BigIntegerField(db_comment="the next offset")
    read_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "source_positions"
        db_table_comment = (
            "How far a partition of a log was read. Losing it costs time only: the tables know what is done."
        )

    def __str__(self) -> str:
        return f"{self.log}/{self.part} up to {self.position}"
