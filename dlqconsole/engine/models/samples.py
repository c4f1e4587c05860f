"""Inputs that handlers succeeded with: a bounded sample of them, and how each event type is sampled."""

from django.db import models
from django.db.models.functions import Now

from dlqconsole.engine.models._checks import readable


class SuccessSample(models.Model):
    """One input that a handler succeeded with. Those that write records write it, in the same transaction."""

    event_type = models.CharField(max_length=255)
    source = models.CharField(max_length=1024)
    source_key = models.CharField(max_length=1024)
    payload = models.JSONField(null=True, db_comment="null where JSONB cannot hold it: see payload_raw")
    payload_raw = models.BinaryField(null=True, db_default=None)
    masked = models.BooleanField(
        db_default=False, db_comment="something in it was masked: it is not as it came"
    )
    was_dead_letter = models.BooleanField(db_default=False, db_comment="it had failed before it succeeded")
    by_rate = models.BooleanField(
        db_default=True, db_comment="by its type's rate; else one of the first of its minute"
    )
    stands_for = models.IntegerField(
        db_default=1, db_comment="successes of its type and process since the sample before, with it"
    )
    sampled_at = models.DateTimeField(db_default=models.Func(function="clock_timestamp"))

    class Meta:
        db_table = "success_samples"
        db_table_comment = (
            "A bounded sample of the inputs that handlers succeeded with; the oldest go by themselves."
        )
        constraints = [
            models.UniqueConstraint(fields=["source", "source_key"], name="success_samples_source"),
            models.CheckConstraint(condition=readable("sampled_at"), name="success_samples_moments"),
            models.CheckConstraint(condition=models.Q(stands_for__gte=1), name="success_samples_stands_for"),
        ]
        indexes = [models.Index(fields=["event_type", "sampled_at"], name="success_samples_type")]

    def __str__(self) -> str:
        return f"sample {self.source}/{self.source_key} of {self.event_type}"


class SampledType(models.Model):
    """How one event type is sampled, where a person has said so. NULL: as the settings say."""

    event_type = models.CharField(max_length=255, primary_key=True)
    one_in = models.IntegerField(
        null=True, db_default=None, db_comment="one success in so many is kept; 0: none at all"
    )
    masked = models.BooleanField(
        null=True, db_default=None, db_comment="whether what is personal is masked before it is stored"
    )
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "sample_policies"
        db_table_comment = "How an event type's successes are sampled, where it is not as the settings say."
        constraints = [
            models.CheckConstraint(
                condition=models.Q(one_in__isnull=True) | models.Q(one_in__range=(0, 1_000_000)),
                name="sample_policies_one_in",
            ),
            models.CheckConstraint(condition=readable("updated_at"), name="sample_policies_moments"),
        ]

    def __str__(self) -> str:
        return f"how {self.event_type} is sampled"
