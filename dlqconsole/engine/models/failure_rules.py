"""What people teach the classification: rules, and which fingerprints belong together."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from dlqconsole.engine.lifecycle.states import Category
from dlqconsole.engine.models._checks import readable


class FailureRule(models.Model):
    """What a failure must look like, and what category or fingerprint it then gets.

    Every condition that is not empty must hold. The first rule that matches wins, for the category and for
    the fingerprint by itself. The database applies them, whoever writes a dead letter.
    """

    position = models.IntegerField(
        db_default=0, db_comment="the order in which they are asked; the id decides between equals"
    )
    enabled = models.BooleanField(db_default=True)
    name = models.CharField(max_length=200)

    event_type = models.CharField(max_length=255, db_default="", db_comment='wildcards: "flight.*"')
    error_class = models.CharField(
        max_length=255,
        db_default="",
        db_comment='"psycopg.errors.*"; without a dot also the last part of a dotted class',
    )
    sqlstate = models.CharField(max_length=255, db_default="", db_comment='"40001, 08*"')
    http_status = models.CharField(max_length=255, db_default="", db_comment='"429, 5xx"')
    pattern = models.CharField(
        max_length=500,
        db_default="",
        db_comment="a regular expression of PostgreSQL over the first 2,000 characters of the reason",
    )

    category = models.CharField(
        max_length=16,
        choices=Category,
        blank=True,
        db_default="",
        db_comment="empty: the category is left alone",
    )
    overrides = models.BooleanField(
        db_default=False, db_comment="also where the error itself said another category than UNKNOWN"
    )
    fingerprint = models.CharField(
        max_length=300,
        db_default="",
        db_comment='empty: the fingerprint is left alone; "{default}" in it refines, without it overrides',
    )

    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())
    updated_by = models.TextField(db_default="")
    version = models.IntegerField(
        db_default=1, db_comment="goes up with every change: two people's edits cannot overwrite each other"
    )

    class Meta:
        db_table = "failure_rules"
        db_table_comment = "What a failure must look like, and what category or fingerprint it then gets."
        constraints = [
            models.CheckConstraint(
                condition=Q(category__in=["", *Category.values]), name="failure_rules_category"
            ),
            models.CheckConstraint(
                condition=~Q(category="", fingerprint=""), name="failure_rules_sets_something"
            ),
            models.CheckConstraint(
                condition=~Q(event_type="", error_class="", sqlstate="", http_status="", pattern=""),
                name="failure_rules_matches_something",
            ),
            models.CheckConstraint(
                condition=readable("created_at", "updated_at"), name="failure_rules_moments"
            ),
        ]

    def __str__(self) -> str:
        return f"rule {self.pk}: {self.name}"


class GroupMerge(models.Model):
    """A fingerprint that somebody put into a group; into its own, where somebody split it out again."""

    fingerprint_id = models.BigIntegerField(primary_key=True)
    group_id = models.BigIntegerField(db_index=True)
    actor = models.TextField()
    reason = models.TextField(db_default="")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "group_merges"
        db_table_comment = (
            "A fingerprint that somebody put into a group; into its own, where somebody split it out again."
        )
        constraints = [
            models.CheckConstraint(condition=readable("created_at"), name="group_merges_moments"),
        ]

    def __str__(self) -> str:
        return f"fingerprint {self.fingerprint_id} in group {self.group_id}"
