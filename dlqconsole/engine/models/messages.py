"""The messages that wait, are scheduled, or are claimed."""

from django.db import models
from django.db.models import Case, F, Q, Value, When
from django.db.models.functions import Cast, Now

from dlqconsole.engine.lifecycle.states import MessageStatus
from dlqconsole.engine.models._checks import MOST, MOST_CRASHES, readable
from dlqconsole.engine.models._stored import StoredField

# A claim changes status, and an index that named status could not be spared: every claim would write to
# it. This copy tells the indexes only what they need, and does not change when a message is claimed.
PHASE = Case(
    When(status__in=["pending", "processing"], then=Value("live")),
    default=F("status"),
    output_field=models.CharField(max_length=16),
)
# The most urgent first; of one priority what has failed stands behind what was never tried, unless order is
# kept within its group. A column of its own, so that everybody's claims say the same: ORDER BY turn, id.
TURN = Cast(F("priority"), models.IntegerField()) * -2 + Case(
    When(last_error__isnull=False, group_key__isnull=True, then=Value(1)),
    default=Value(0),
    output_field=models.IntegerField(),
)


class Message(models.Model):
    """One message on a queue. A completed message leaves the table."""

    queue = models.CharField(max_length=255)
    payload = models.JSONField(null=True)
    payload_raw = models.BinaryField(
        null=True, db_default=None, db_comment="the exact bytes, where JSONB cannot hold them"
    )
    headers = models.JSONField(db_default={})
    priority = models.SmallIntegerField(db_default=0, db_comment="the higher, the earlier")
    status = models.CharField(
        max_length=16,
        choices=MessageStatus,
        db_default=MessageStatus.PENDING,
        db_comment="pending: may be claimed; scheduled: not before next_retry_at; waiting: behind its group;"
        " held: back, while its revival can be undone; processing: claimed",
    )
    retry_count = models.IntegerField(
        db_default=0,
        db_comment="attempts begun: counted when the message is claimed, so that a crash counts too",
    )
    max_retries = models.IntegerField(
        null=True, db_default=None, db_comment="NULL: the queue's policy decides"
    )
    next_retry_at = models.DateTimeField(db_default=Now())
    owner = models.TextField(null=True, db_default=None, db_comment="the consumer that has claimed it")
    lease_token = models.UUIDField(
        null=True, db_default=None, db_comment="whoever completes, extends or gives back must show it"
    )
    lease_until = models.DateTimeField(
        null=True, db_default=None, db_comment="after that any consumer takes over"
    )
    dequeued_time = models.DateTimeField(null=True, db_default=None, db_comment="when it was claimed")
    crash_count = models.SmallIntegerField(
        db_default=0,
        db_comment="consumers that died of it: they held nothing else, or it ended their process",
    )
    charge = models.SmallIntegerField(
        db_default=0,
        db_comment="crashes that it is charged with should its consumer die; 0: that holds others beside it",
    )
    last_error = models.TextField(null=True, db_default=None)
    unhandled_type = models.TextField(
        null=True,
        db_default=None,
        db_comment="the event type for which the consumer that put it back had no handler; it waits until"
        " next_retry_at, or until a consumer that has one calls it",
    )
    dedupe_key = models.CharField(
        max_length=255, null=True, db_default=None, db_comment="a second one of the same queue is not sent"
    )
    group_key = models.CharField(
        max_length=255,
        null=True,
        db_default=None,
        db_comment="messages of one key are handled one at a time, in order",
    )
    group_in_flight = models.CharField(
        max_length=255,
        null=True,
        db_default=None,
        db_comment="the key while the message is claimed: unique, so that no two of a group are in flight",
    )
    phase = StoredField(
        expression=PHASE,
        output_field=models.CharField(max_length=16),
        db_persist=True,
        db_comment="what the indexes know of the status; it stays as it is when the message is claimed",
    )
    turn = StoredField(
        expression=TURN,
        output_field=models.IntegerField(),
        db_persist=True,
        db_comment="in which order messages are claimed, the smallest first, then by id: by priority,"
        " then what was never tried before what has failed, unless that has a group",
    )
    dlq_event_id = models.BigIntegerField(
        null=True, db_default=None, db_comment="the dead letter that this message revives"
    )
    revive_seq = models.IntegerField(
        null=True, db_default=None, db_comment="which revival it is: the dead letter's revive_count"
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "message_queue"
        db_table_comment = "One message on a queue. A completed message leaves the table."
        constraints = [
            models.CheckConstraint(condition=Q(status__in=MessageStatus.values), name="message_queue_status"),
            models.CheckConstraint(condition=~Q(queue=""), name="message_queue_named"),
            models.CheckConstraint(
                condition=Q(payload__isnull=False) | Q(payload_raw__isnull=False),
                name="message_queue_has_payload",
            ),
            models.CheckConstraint(
                condition=readable("next_retry_at", "created_at"), name="message_queue_moments"
            ),
            models.CheckConstraint(
                condition=readable("lease_until", "dequeued_time"), name="message_queue_lease_moments"
            ),
            models.CheckConstraint(
                condition=Q(id__gte=0, retry_count__range=(0, MOST), crash_count__range=(0, MOST_CRASHES)),
                name="message_queue_numbers",
            ),
            # what waits for an earlier one of its group is called by it: without a group, by nobody
            models.CheckConstraint(
                condition=~Q(status=MessageStatus.WAITING) | Q(group_key__isnull=False),
                name="message_queue_waits_in_group",
            ),
            # the second guard against a double revive: one message for each revival
            models.UniqueConstraint(
                fields=["dlq_event_id", "revive_seq"],
                condition=Q(dlq_event_id__isnull=False),
                name="message_queue_one_per_revival",
            ),
            models.UniqueConstraint(
                fields=["queue", "dedupe_key"],
                condition=Q(dedupe_key__isnull=False),
                name="message_queue_dedupe",
            ),
            models.UniqueConstraint(
                fields=["queue", "group_in_flight"],
                condition=Q(group_in_flight__isnull=False),
                name="message_queue_one_of_a_group",
            ),
        ]
        indexes = [
            # claim: in the order of the queue. What is in flight stays in it, so that claiming and extending
            # touch no index (a HOT update)
            models.Index(
                fields=["queue", "turn", "id"], condition=Q(phase="live"), name="message_queue_live"
            ),
            # stager: which scheduled rows have come due
            models.Index(
                fields=["next_retry_at"], condition=Q(phase="scheduled"), name="message_queue_later"
            ),
            # a claim that finds too few: which of its own queue have come due
            models.Index(
                fields=["queue", "next_retry_at"],
                condition=Q(phase="scheduled"),
                name="message_queue_queue_later",
            ),
            # what is held back on a queue: counted, listed, purged
            models.Index(fields=["queue", "id"], condition=Q(phase="held"), name="message_queue_held"),
            # what was put back for want of a handler: counted by type, and called by who has one
            models.Index(
                fields=["queue", "unhandled_type", "id"],
                condition=Q(unhandled_type__isnull=False),
                name="message_queue_unhandled",
            ),
            # the head of a group
            models.Index(
                fields=["queue", "group_key", "id"],
                condition=Q(group_key__isnull=False),
                name="message_queue_group",
            ),
        ]

    def __str__(self) -> str:
        return f"message {self.pk} on {self.queue}"
