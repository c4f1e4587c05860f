"""Inputs that handlers succeeded with: a bounded sample of them, and how each event type is sampled."""

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
