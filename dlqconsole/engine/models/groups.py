"""Failure groups: what dead letters of one fingerprint share, and what people know about it."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from dlqconsole.engine.lifecycle.states import Category, GroupState
from dlqconsole.engine.models._checks import readable


class FailureGroup(models.Model):
    """What the dead letters of one fingerprint share. Rows appear by themselves, written by the database.

    Owner, note and ticket are people's; they stay whatever becomes of the group's dead letters.
    """

    id = models.BigIntegerField(primary_key=True)
    fingerprint_version = models.SmallIntegerField(db_default=1)
    event_type = models.CharField(max_length=255)
    error_category = models.CharField(max_length=16, choices=Category)
    error_class = models.CharField(max_length=255)
    message = models.TextField(db_comment="the reason with its variable parts taken out")
    frames = models.TextField(
        db_default="",
        db_comment='the application\'s frames, outermost first, a line each: "orders.py charge"',
    )
    rule_id = models.BigIntegerField(
        null=True, db_default=None, db_comment="the rule that made the fingerprint, where one did"
    )
    created_at = models.DateTimeField(db_default=Now())

    state = models.CharField(max_length=16, choices=GroupState, db_default=GroupState.OPEN)
    state_changed_at = models.DateTimeField(null=True, db_default=None)
    state_changed_by = models.TextField(db_default="")
    snoozed_until = models.DateTimeField(
        null=True, db_default=None, db_comment="snoozed until then, or until one of the next two is reached"
    )
    snoozed_to_occurrences = models.BigIntegerField(
        null=True, db_default=None, db_comment="… until so many failures in all"
    )
    snoozed_below_rate = models.IntegerField(
        null=True, db_default=None, db_comment="… until more than so many new dead letters in an hour"
    )
    owner = models.TextField(db_default="")
    note = models.TextField(db_default="")
    ticket = models.TextField(db_default="")
    version = models.IntegerField(
        db_default=1,
        db_comment="goes up with every change a person makes: no two people overwrite each other",
    )

    class Meta:
        db_table = "failure_groups"
        db_table_comment = (
            "What the dead letters of one fingerprint share. Rows appear by themselves, written by "
            "the database."
        )
        constraints = [
            models.CheckConstraint(condition=Q(state__in=GroupState.values), name="failure_groups_state"),
            models.CheckConstraint(condition=Q(id__gte=0), name="failure_groups_numbers"),
            models.CheckConstraint(
                condition=readable("created_at", "state_changed_at", "snoozed_until"),
                name="failure_groups_moments",
            ),
        ]
        indexes = [
            # the few that are resolved, regressed or snoozed
            models.Index(fields=["state"], condition=~Q(state="open"), name="failure_groups_not_open"),
        ]

    def __str__(self) -> str:
        return self.message or self.error_class or f"group {self.pk}"
