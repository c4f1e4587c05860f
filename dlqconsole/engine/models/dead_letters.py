"""Dead letters, their attempts and payload versions, and what handlers returned."""

from django.contrib.postgres.indexes import BrinIndex, GinIndex, OpClass
from django.db import models
from django.db.models import F, Func, Q
from django.db.models.functions import Left, Now

from dlqconsole.engine.lifecycle.states import Category, DeadLetterStatus
from dlqconsole.engine.models._checks import MOST_CRASHES, all_readable, at_least, countable, readable

# characters of a reason that a search looks at
SEARCHED = 8000


class DeadLetter(models.Model):
    """A failed event with everything needed to understand it."""

    event_type = models.CharField(max_length=255)
    payload = models.JSONField(null=True)
    payload_raw = models.BinaryField(
        null=True, db_default=None, db_comment="the exact bytes, where JSONB cannot hold them"
    )
    headers = models.JSONField(db_default={})
    error_reason = models.TextField(db_default="")
    error_stacktrace = models.TextField(db_default="")
    error_category = models.CharField(
        max_length=16, choices=Category, db_default=Category.UNKNOWN, db_comment="who mends it"
    )
    error_class = models.CharField(
        max_length=255,
        db_default="",
        db_comment="the part of error_reason before its colon, filled in by the database",
    )
    status = models.CharField(max_length=16, choices=DeadLetterStatus, db_default=DeadLetterStatus.PENDING)
    retry_count = models.IntegerField(db_default=0)
    max_retries = models.IntegerField(
        null=True, db_default=None, db_comment="NULL: DLQ_RETRY_MAX_RETRIES decides"
    )
    retry_after = models.DateTimeField(db_default=Now(), db_comment="the schedule does not try before")
    source = models.CharField(
        max_length=1024,
        db_comment="where the event came from: a CloudEvent's source, else file:<name>, queue:<name> …",
    )
    source_key = models.CharField(
        max_length=1024, db_comment="which one of that source: a CloudEvent's id, else its position"
    )
    occurrences = models.IntegerField(db_default=1, db_comment="failed deliveries of this event")
    queue = models.CharField(
        max_length=255,
        null=True,
        db_default=None,
        db_comment="where it came from and is revived to; NULL: the queue named after its event type",
    )
    group_key = models.CharField(
        max_length=255,
        null=True,
        db_default=None,
        db_comment="its message's group: what is revived in order keeps it",
    )
    original_message_id = models.BigIntegerField(null=True, db_default=None)
    same_id_as = models.BigIntegerField(
        null=True,
        db_default=None,
        db_comment="another event under the same source and id, with other bytes, that failed before it",
    )
    occurred_at = models.DateTimeField(
        null=True,
        db_default=None,
        db_comment="when the event says that it happened; filled in by the database",
    )
    first_failure_at = models.DateTimeField(db_default=Now())
    last_failure_at = models.DateTimeField(db_default=Now())
    dead_lettered_at = models.DateTimeField(db_default=Now(), db_comment="never changes")
    said_category = models.CharField(
        max_length=16,
        null=True,
        db_default=None,
        db_comment="what the error itself said, where a rule has put the dead letter in another category",
    )
    category_rule_id = models.BigIntegerField(
        null=True, db_default=None, db_comment="the rule that decided the category, where one did"
    )
    fingerprint_rule_id = models.BigIntegerField(
        null=True, db_default=None, db_comment="the rule that made the fingerprint, where one did"
    )
    fingerprint_id = models.BigIntegerField(
        db_default=0, db_comment="hash of the failure's fingerprint; filled in by the database"
    )
    fingerprint_version = models.SmallIntegerField(
        db_default=1, db_comment="which version of the algorithm made the fingerprint"
    )
    group_id = models.BigIntegerField(
        db_default=0, db_comment="the fingerprint, or the group that somebody merged it into"
    )
    reclassified_at = models.DateTimeField(
        null=True,
        db_default=None,
        db_comment="when its category or group was last decided anew, by the rules or by a person; an UPDATE"
        " that writes it brings the whole classification with it",
    )
    payload_version = models.IntegerField(
        db_default=0, db_comment="0: as it came; else the newest of its payload_versions"
    )
    revive_count = models.IntegerField(
        db_default=0, db_comment="at most one message for each of these revivals"
    )
    come_backs = models.IntegerField(
        db_default=0,
        db_comment="how often it failed again after a revival, since it succeeded or was edited last; counted"
        " by the database",
    )
    revived_at = models.DateTimeField(null=True, db_default=None)
    revived_from = models.CharField(
        max_length=16,
        null=True,
        db_default=None,
        db_comment="while it is REVIVED: its status before; it returns there when its message is lost",
    )
    operation_id = models.BigIntegerField(
        null=True, db_default=None, db_comment="the operation that changed this row last"
    )
    owner = models.TextField(null=True, db_default=None, db_comment="the worker that has claimed it")
    lease_token = models.UUIDField(
        null=True, db_default=None, db_comment="whoever settles the attempt must show it"
    )
    lease_until = models.DateTimeField(
        null=True, db_default=None, db_comment="after that somebody else may take over"
    )
    begun_at = models.DateTimeField(
        null=True,
        db_default=None,
        db_comment="while it is RETRYING: since when its handler runs; NULL: claimed, and not begun",
    )
    crash_count = models.SmallIntegerField(db_default=0, db_comment="leases that ran out while a handler ran")
    version = models.IntegerField(db_default=1, db_comment="goes up with every change, whoever makes it")
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "dlq_events"
        db_table_comment = "A failed event with everything needed to understand it."
        constraints = [
            models.CheckConstraint(condition=Q(status__in=DeadLetterStatus.values), name="dlq_events_status"),
            models.CheckConstraint(
                condition=Q(error_category__in=Category.values), name="dlq_events_category"
            ),
            models.CheckConstraint(
                condition=countable(
                    "retry_count", "revive_count", "come_backs", "occurrences", "version", "payload_version"
                )
                & Q(crash_count__range=(0, MOST_CRASHES), occurrences__gte=1, fingerprint_version__gte=1),
                name="dlq_events_counts",
            ),
            models.CheckConstraint(
                condition=all_readable(
                    "retry_after",
                    "created_at",
                    "dead_lettered_at",
                    "first_failure_at",
                    "last_failure_at",
                    "lease_until",
                    "begun_at",
                    "revived_at",
                    "updated_at",
                    "reclassified_at",
                ),
                name="dlq_events_moments",
            ),
            # no page has an address for a number below zero
            models.CheckConstraint(
                condition=at_least(0, "id", "group_id", "fingerprint_id"), name="dlq_events_numbers"
            ),
            # without a lease nobody would ever take it back
            models.CheckConstraint(
                condition=~Q(status=DeadLetterStatus.RETRYING)
                | Q(lease_token__isnull=False, lease_until__isnull=False),
                name="dlq_events_leased",
            ),
            # a redelivered failure is one row
            models.UniqueConstraint(fields=["source", "source_key"], name="dlq_events_source"),
        ]
        indexes = [
            # the list, newest first. Read backwards, so that what is new comes at the end of the index, where
            # full pages stay full; in the list's own order each page would be left half empty
            models.Index(fields=["created_at", "id"], name="dlq_events_newest"),
            # the list within a status or a type, and the counts on its tabs
            models.Index(fields=["status", "created_at", "id"], name="dlq_events_status_newest"),
            models.Index(fields=["event_type", "created_at", "id"], name="dlq_events_type_newest"),
            # a group's page and its counts
            models.Index("group_id", "status", F("created_at").desc(), name="dlq_events_group"),
            # the schedule: what waits of a type and a category, in the order it is due; how much of it is due
            models.Index(
                fields=["event_type", "error_category", "retry_after", "id"],
                include=("retry_count", "max_retries", "come_backs", "group_id", "queue"),
                condition=Q(status="PENDING"),
                name="dlq_events_due",
            ),
            # a dead letter's page: others under its source and id
            models.Index(
                fields=["same_id_as"], condition=Q(same_id_as__isnull=False), name="dlq_events_same_id"
            ),
            # what keeps coming back, counted by what else is kept counted: nothing of a row that never did
            models.Index(
                fields=["status", "come_backs"],
                include=("event_type", "error_category", "group_id", "queue"),
                condition=Q(come_backs__gt=0),
                name="dlq_events_came_back",
            ),
            # leases that may have run out
            models.Index(fields=["id"], condition=Q(status="RETRYING"), name="dlq_events_in_flight"),
            # the days of a report
            models.Index(
                fields=["occurred_at"], condition=Q(occurred_at__isnull=False), name="dlq_events_occurred"
            ),
            # words in reasons: of the beginning, so that a huge one costs its writer no more than another
            # A move to another state enters it anew. Many are sorted in before they are spread over the
            # index: with the default of 4 MB a revive takes more than twice as long.
            GinIndex(
                OpClass(Left("error_reason", SEARCHED), name="gin_trgm_ops"),
                name="dlq_events_reason",
                gin_pending_list_limit=65_536,
            ),
            # what the search box looks up whole
            GinIndex(
                Func("source_key", "original_message_id", "headers", function="dead_letter_ids"),
                name="dlq_events_ids",
            ),
        ]

    def __str__(self) -> str:
        return f"dead letter {self.pk}"


class Attempt(models.Model):
    """One run of a handler on an event, wherever it ran; or a failure that somebody else reported."""

    dlq_event_id = models.BigIntegerField(
        null=True, db_default=None, db_comment="NULL: its message has not become a dead letter"
    )
    message = models.CharField(
        max_length=320, db_default="", db_comment="the message it was an attempt on: <queue>/<id>"
    )
    kind = models.CharField(max_length=16)
    worker = models.TextField(db_default="")
    started_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(db_default=Now())
    outcome = models.CharField(max_length=16)
    error_category = models.CharField(
        max_length=16, db_default="", db_comment="what the error itself said, before any rule"
    )
    error_reason = models.TextField(db_default="")
    error_stacktrace = models.TextField(db_default="")
    reopened_from = models.CharField(
        max_length=16, db_default="", db_comment="the state in which the dead letter was closed until then"
    )
    stands_for = models.IntegerField(
        db_default=1, db_comment="more than 1: so many attempts between the first and the newest, folded"
    )

    class Meta:
        db_table = "dlq_attempts"
        db_table_comment = (
            "One run of a handler on an event: on its queue, by the schedule, an operation or a revived"
            " message; or a failure that another program reported. Of more than a hundred the middle is"
            " folded."
        )
        constraints = [
            models.CheckConstraint(
                condition=readable("started_at", "finished_at"), name="dlq_attempts_moments"
            ),
        ]
        indexes = [
            models.Index(fields=["dlq_event_id", "id"], name="dlq_attempts_of_event"),
            # what a message left behind, when it becomes a dead letter
            models.Index(fields=["message"], condition=Q(dlq_event_id=None), name="dlq_attempts_of_message"),
            # what may be let go of, when its message has succeeded in the end
            models.Index(
                fields=["finished_at", "id"], condition=Q(dlq_event_id=None), name="dlq_attempts_unclaimed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} attempt on dead letter {self.dlq_event_id}: {self.outcome}"


class PayloadVersion(models.Model):
    """What a dead letter held before or after somebody edited it. Number 0 is the original."""

    dlq_event_id = models.BigIntegerField()
    number = models.IntegerField()
    payload = models.JSONField(null=True)
    payload_raw = models.BinaryField(null=True, db_default=None)
    headers = models.JSONField(db_default={})
    actor = models.TextField(db_default="", db_comment="empty for the original")
    reason = models.TextField(db_default="")
    operation_id = models.BigIntegerField(null=True, db_default=None)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "payload_versions"
        db_table_comment = (
            "What a dead letter held before or after somebody edited it. Number 0 is the original."
        )
        constraints = [
            models.CheckConstraint(condition=readable("created_at"), name="payload_versions_moments"),
            models.UniqueConstraint(fields=["dlq_event_id", "number"], name="payload_versions_once"),
        ]

    def __str__(self) -> str:
        return f"version {self.number} of dead letter {self.dlq_event_id}"


class EnrichedEvent(models.Model):
    """What a handler returned for an event: one row an event, however often it ran."""

    event_type = models.CharField(max_length=255)
    source = models.CharField(max_length=1024)
    source_key = models.CharField(max_length=1024)
    occurred_at = models.DateTimeField(null=True, db_default=None)
    record = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())
    digest = models.UUIDField(
        null=True,
        db_default=None,
        db_comment="of what the event brought; null: not known",
    )

    class Meta:
        db_table = "enriched_events"
        db_table_comment = "What a handler returned for an event: one row an event, however often it ran."
        constraints = [
            models.UniqueConstraint(fields=["source", "source_key"], name="enriched_events_source"),
        ]
        indexes = [
            models.Index(fields=["event_type", "id"], name="enriched_events_type"),
            # the days of a report
            models.Index(
                fields=["occurred_at"],
                condition=Q(occurred_at__isnull=False),
                name="enriched_events_occurred",
            ),
            # what came on a day: rows lie in the order in which they came
            BrinIndex(fields=["created_at"], autosummarize=True, name="enriched_events_kept"),
        ]

    def __str__(self) -> str:
        return f"{self.event_type} {self.source}/{self.source_key}"
