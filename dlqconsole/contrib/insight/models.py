"""Samples of the inputs that handlers succeeded with, and statistics of payloads, masked."""

from django.db import models
from django.db.models.functions import Now


class SuccessSample(models.Model):
    """One input that a handler succeeded with. Those that write records write it, in the same transaction."""

    event_type = models.CharField(max_length=255)
    source = models.CharField(max_length=1024)
    source_key = models.CharField(max_length=1024)
    payload = models.JSONField(null=True)
    payload_raw = models.BinaryField(null=True, db_default=None)
    masked = models.BooleanField(db_default=False)
    was_dead_letter = models.BooleanField(db_default=False)
    by_rate = models.BooleanField(db_default=True)
    stands_for = models.IntegerField(db_default=1)
    sampled_at = models.DateTimeField(db_default=models.Func(function="clock_timestamp"))

    class Meta:
        managed = False
        db_table = "success_samples"

    def __str__(self) -> str:
        return f"sample {self.source}/{self.source_key} of {self.event_type}"


class SampledType(models.Model):
    """A person's choice of sampling for one event type. NULL: the setting decides."""

    event_type = models.CharField(max_length=255, primary_key=True)
    one_in = models.IntegerField(null=True, db_default=None)
    masked = models.BooleanField(null=True, db_default=None)
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        managed = False
        db_table = "sample_policies"

    def __str__(self) -> str:
        return f"how {self.event_type} is sampled"


class CommonGround(models.Model):
    """The traits that a failure group's dead letters share, as last computed."""

    group_id = models.BigIntegerField(primary_key=True)
    computed_at = models.DateTimeField(db_default=Now())
    found = models.JSONField()

    class Meta:
        managed = False
        db_table = "common_grounds"

    def __str__(self) -> str:
        return f"what group {self.group_id} has in common"


class PayloadShape(models.Model):
    """The frequency of one path in an event type's payloads of an hour; without a path: the hour."""

    event_type = models.CharField(max_length=255)
    hour = models.DateTimeField()
    path = models.CharField(max_length=512)
    events = models.FloatField()
    payloads = models.IntegerField()
    types = models.JSONField(db_default={})
    left_out = models.IntegerField(db_default=0)

    class Meta:
        managed = False
        db_table = "payload_shapes"

    def __str__(self) -> str:
        return f"{self.path} of {self.event_type}"


class PayloadChange(models.Model):
    """A path that appeared, vanished, or became another type."""

    event_type = models.CharField(max_length=255)
    path = models.CharField(max_length=512)
    hour = models.DateTimeField()
    kind = models.CharField(max_length=16)
    before = models.TextField(db_default="")
    after = models.TextField(db_default="")
    share_before = models.FloatField()
    share_after = models.FloatField()
    payloads = models.IntegerField()
    payloads_before = models.IntegerField()
    found_at = models.DateTimeField(db_default=Now())

    class Meta:
        managed = False
        db_table = "payload_changes"

    def __str__(self) -> str:
        return f"{self.path} of {self.event_type} {self.kind}"


class ShapeProgress(models.Model):
    """Up to when payloads have been looked at. One row."""

    number = models.SmallIntegerField(primary_key=True)
    until = models.DateTimeField()

    class Meta:
        managed = False
        db_table = "shape_progress"

    def __str__(self) -> str:
        return f"looked at until {self.until}"
