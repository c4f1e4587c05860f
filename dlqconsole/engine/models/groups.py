"""Failure groups: what dead letters of one fingerprint share, and what people know about it."""

from django.db import models
from django.db.models.functions import Now

from dlqconsole.core.lifecycle.states import Category, GroupState


class FailureGroup(models.Model):
    """The dead letters of one fingerprint. The database writes a row when it meets a new one.

    Owner, note and ticket are people's; they stay whatever becomes of the group's dead letters.
    """

    id = models.BigIntegerField(primary_key=True)
    fingerprint_version = models.SmallIntegerField(db_default=1)
    event_type = models.CharField(max_length=255)
    error_category = models.CharField(max_length=16, choices=Category.choices())
    error_class = models.CharField(max_length=255)
    message = models.TextField()
    frames = models.TextField(db_default="")
    rule_id = models.BigIntegerField(null=True, db_default=None)
    created_at = models.DateTimeField(db_default=Now())

    state = models.CharField(max_length=16, choices=GroupState.choices(), db_default=GroupState.OPEN)
    state_changed_at = models.DateTimeField(null=True, db_default=None)
    state_changed_by = models.TextField(db_default="")
    snoozed_until = models.DateTimeField(null=True, db_default=None)
    snoozed_to_occurrences = models.BigIntegerField(null=True, db_default=None)
    snoozed_below_rate = models.IntegerField(null=True, db_default=None)
    owner = models.TextField(db_default="")
    note = models.TextField(db_default="")
    ticket = models.TextField(db_default="")
    version = models.IntegerField(db_default=1)

    class Meta:
        managed = False
        db_table = "failure_groups"

    def __str__(self) -> str:
        return self.message or self.error_class or f"group {self.pk}"
