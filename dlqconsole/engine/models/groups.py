"""Failure groups, and what people add to the classification: rules, and fingerprints that belong together."""

from django.db import models
from django.db.models.functions import Now

from dlqconsole.core.lifecycle.states import Category, GroupState


class FailureRule(models.Model):
    """A pattern of failures, and the category or fingerprint that a match gets.

    Every condition that is not empty must hold. The first rule that matches wins, for the category and for
    the fingerprint by itself. The database applies them, whoever writes a dead letter. Shipped rules are
    asked after all others, and only where an error says no category.
    """

    position = models.IntegerField(db_default=0)
    enabled = models.BooleanField(db_default=True)
    name = models.CharField(max_length=200)

    event_type = models.CharField(max_length=255, db_default="")
    error_class = models.CharField(max_length=255, db_default="")
    sqlstate = models.CharField(max_length=255, db_default="")
    http_status = models.CharField(max_length=255, db_default="")
    pattern = models.CharField(max_length=500, db_default="")

    category = models.CharField(max_length=16, choices=Category.choices(), blank=True, db_default="")
    overrides = models.BooleanField(db_default=False)
    shipped = models.BooleanField(db_default=False)
    fingerprint = models.CharField(max_length=300, db_default="")

    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())
    updated_by = models.TextField(db_default="")
    version = models.IntegerField(db_default=1)

    class Meta:
        managed = False
        db_table = "failure_rules"

    def __str__(self) -> str:
        return f"rule {self.pk}: {self.name}"


class OwnerRule(models.Model):
    """A rule that says whose some failure groups are.

    Every condition that is not empty must hold; the first match counts.
    """

    position = models.IntegerField(db_default=0)
    enabled = models.BooleanField(db_default=True)
    event_type = models.CharField(max_length=255, db_default="")
    queue = models.CharField(max_length=255, db_default="")
    frame = models.CharField(max_length=255, db_default="")
    owner = models.CharField(max_length=100)
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())
    updated_by = models.TextField(db_default="")
    version = models.IntegerField(db_default=1)

    class Meta:
        managed = False
        db_table = "owner_rules"

    def __str__(self) -> str:
        return f"rule {self.pk}: {self.owner}"


class GroupMerge(models.Model):
    """A fingerprint that somebody put into a group; into its own, where somebody split it out again."""

    fingerprint_id = models.BigIntegerField(primary_key=True)
    group_id = models.BigIntegerField(db_index=True)
    actor = models.TextField()
    reason = models.TextField(db_default="")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        managed = False
        db_table = "group_merges"

    def __str__(self) -> str:
        return f"fingerprint {self.fingerprint_id} in group {self.group_id}"


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
    claimed_by = models.TextField(db_default="")
    claimed_until = models.DateTimeField(null=True, db_default=None)
    version = models.IntegerField(db_default=1)

    class Meta:
        managed = False
        db_table = "failure_groups"

    def __str__(self) -> str:
        return self.message or self.error_class or f"group {self.pk}"
