"""Queues of other systems that somebody attached, and what was sent back to them."""

from django.db import models
from django.db.models.functions import Now

from dlqconsole.core.lifecycle.failures import QueuePolicy


class AttachedQueue(models.Model):
    """A queue of another system. Its name, <transport>:<remote_name>, is its dead letters' queue."""

    name = models.CharField(max_length=255, primary_key=True)
    # no choices: anybody may register a system
    transport = models.CharField(max_length=16)
    remote_name = models.CharField(max_length=249)
    max_deliveries = models.IntegerField(db_default=5)
    lease_seconds = models.IntegerField(db_default=60)
    columns = models.JSONField(db_default={})
    paused = models.BooleanField(db_default=False)
    in_doubt = models.JSONField(db_default={})
    created_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(null=True)

    class Meta:
        managed = False
        db_table = "attached_queues"

    def __str__(self) -> str:
        return self.name

    @property
    def policy(self) -> QueuePolicy:
        """The policy by which our consumers treat its messages."""
        return QueuePolicy(self.max_deliveries, self.lease_seconds, paused=self.paused)


class ForwardedMessage(models.Model):
    """A revived dead letter on its way through its queue of origin, until that queue has let go of it."""

    dlq_event_id = models.BigIntegerField()
    revive_seq = models.IntegerField()
    queue = models.CharField(max_length=255)
    remote_id = models.CharField(max_length=255)
    forwarded_at = models.DateTimeField(db_default=Now())
    is_watched = models.BooleanField(db_default=True)

    class Meta:
        managed = False
        db_table = "forwarded_messages"

    def __str__(self) -> str:
        return f"dead letter {self.dlq_event_id} as message {self.remote_id} on {self.queue}"


class DeadLetterLook(models.Model):
    """A look at a system: where its queues dead-letter to."""

    transport = models.CharField(max_length=16, primary_key=True)
    tried_at = models.DateTimeField(db_default=Now())
    looked_at = models.DateTimeField(null=True)
    problem = models.TextField(db_default="")
    queues = models.JSONField(null=True)

    class Meta:
        managed = False
        db_table = "dead_letter_looks"

    def __str__(self) -> str:
        return f"the look at {self.transport}"


class SourcePosition(models.Model):
    """The position in a log's partition. Its loss costs time only: the tables know what is done."""

    pk = models.CompositePrimaryKey("log", "part")
    log = models.CharField(max_length=400)
    part = models.IntegerField()
    position = models.BigIntegerField()
    read_at = models.DateTimeField(db_default=Now())

    class Meta:
        managed = False
        db_table = "source_positions"

    def __str__(self) -> str:
        return f"{self.log}/{self.part} up to {self.position}"
