"""What was found out about payloads: names of fields, how frequent they are, and few values, masked."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class CommonGround(models.Model):
    """What a failure group's dead letters have in common, as it was computed last."""

    group_id = models.BigIntegerField(primary_key=True)
    computed_at = models.DateTimeField(db_default=Now())
    found = models.JSONField(db_comment="what it was computed from, and the findings, masked")

    class Meta:
        db_table = "common_grounds"
        db_table_comment = "What a failure group's dead letters have in common, as it was computed last."

    def __str__(self) -> str:
        return f"what group {self.group_id} has in common"


class PayloadShape(models.Model):
    """How frequent one path was in an event type's payloads of an hour; without a path: the hour."""

    event_type = models.CharField(max_length=255)
    hour = models.DateTimeField(db_comment="its beginning, in UTC")
    path = models.CharField(max_length=512, db_comment="items[].sku; empty: all payloads of the hour")
    events = models.FloatField(db_comment="events of the hour that have it, estimated from those looked at")
    payloads = models.IntegerField(db_comment="payloads looked at that have it")
    types = models.JSONField(db_default={}, db_comment='events by what stands there: {"text": 12.5}')
    left_out = models.IntegerField(
        db_default=0, db_comment="of the row without a path: paths that were too many, or no names"
    )

    class Meta:
        db_table = "payload_shapes"
        db_table_comment = (
            "How frequent each path is in an event type's payloads, by hour. Without one: the hour."
        )
        constraints = [
            models.UniqueConstraint(fields=["event_type", "hour", "path"], name="payload_shapes_once"),
            models.CheckConstraint(condition=Q(payloads__gte=0, events__gte=0), name="payload_shapes_counts"),
        ]
        indexes = [models.Index(fields=["hour"], name="payload_shapes_hour")]

    def __str__(self) -> str:
        return f"{self.path} of {self.event_type}"


class PayloadChange(models.Model):
    """A path that appeared, vanished, or became another type."""

    event_type = models.CharField(max_length=255)
    path = models.CharField(max_length=512)
    hour = models.DateTimeField(db_comment="in which it was first seen, in UTC")
    kind = models.CharField(max_length=16, db_comment="appeared, vanished, became")
    before = models.TextField(db_default="", db_comment="what stood there, where it became another type")
    after = models.TextField(db_default="")
    share_before = models.FloatField(db_comment="of the hours before; 0 to 1")
    share_after = models.FloatField(db_comment="of its hour, when it was found")
    payloads = models.IntegerField(db_comment="looked at in its hour, when it was found")
    payloads_before = models.IntegerField(db_comment="looked at in the hours before")
    found_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "payload_changes"
        db_table_comment = (
            "A path of an event type's payloads that appeared, vanished, or became another type."
        )
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["appeared", "vanished", "became"]),
                name="payload_changes_kind",
            ),
            models.UniqueConstraint(
                fields=["event_type", "path", "hour", "kind"], name="payload_changes_once"
            ),
        ]
        indexes = [models.Index(fields=["-hour"], name="payload_changes_hour")]

    def __str__(self) -> str:
        return f"{self.path} of {self.event_type} {self.kind}"


class ShapeProgress(models.Model):
    """Up to when payloads have been looked at. One row."""

    number = models.SmallIntegerField(primary_key=True)
    until = models.DateTimeField()

    class Meta:
        db_table = "shape_progress"
        db_table_comment = "Up to when payloads have been looked at for their shapes. One row."
        constraints = [models.CheckConstraint(condition=Q(number=1), name="shape_progress_one")]

    def __str__(self) -> str:
        return f"looked at until {self.until}"
