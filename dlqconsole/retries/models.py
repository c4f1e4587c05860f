"""The runs of the schedule, and people's requests and policies."""

from django.db import models
from django.db.models.functions import Now

from dlqconsole.hosting.wording import gettext_lazy as _


class BackoffKind(models.TextChoices):
    """The growth of the wait after each failure."""

    FIXED = "fixed", _("the same each time")
    EXPONENTIAL = "exponential", _("doubled each time, with full jitter")


class RetryAction(models.TextChoices):
    """The schedule's action on a dead letter that is due."""

    RETRY = "retry", _("retry: run its handler in a worker")
    REVIVE = "revive", _("revive: put it back on its queue")


class EndReason(models.TextChoices):
    """The reason why a run ended, or why a worker left it."""

    NOTHING_DUE = "nothing due", _("nothing is due any more")
    HELD_BACK = (
        "held back",
        _("what is due is held back for a while: a breaker, a policy or a pace"),
    )
    TIME = "time", _("its time was used")
    STOPPED = "stopped", _("its worker was told to stop")
    LOCK_LOST = "lock lost", _("somebody else has taken the lock")
    DIED = "died", _("its worker stopped without a word")
    ERROR = "error", _("an error")
    FOR_OTHERS = "for others", _("what is left is for another worker's handlers")
    TAKEN_OVER = "taken over", _("a person took it over")


class RetryRun(models.Model):
    """One scheduled run of the whole fleet: every worker that has a tick joins it."""

    started_at = models.DateTimeField(db_default=Now())
    heartbeat_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, db_default=None)
    trigger = models.CharField(max_length=16)
    worker = models.TextField()
    token = models.BigIntegerField(db_default=0)
    late_seconds = models.FloatField(db_default=0.0)
    missed = models.IntegerField(db_default=0)
    claimed = models.IntegerField(db_default=0)
    succeeded = models.IntegerField(db_default=0)
    revived = models.IntegerField(db_default=0)
    failed = models.IntegerField(db_default=0)
    exhausted = models.IntegerField(db_default=0)
    lost = models.IntegerField(db_default=0)
    ended_for = models.CharField(max_length=16, choices=EndReason, db_default="")
    more_due = models.BooleanField(db_default=False)
    resume_at = models.DateTimeField(null=True, db_default=None)
    note = models.TextField(db_default="")

    class Meta:
        managed = False
        db_table = "retry_runs"

    def __str__(self) -> str:
        return f"retry run {self.pk}"


class RetryRunWorker(models.Model):
    """One worker's part of a run. The run's counts are the sums of these."""

    run_id = models.BigIntegerField()
    worker = models.TextField()
    joined_at = models.DateTimeField(db_default=Now())
    heartbeat_at = models.DateTimeField(db_default=Now())
    left_at = models.DateTimeField(null=True, db_default=None)
    left_for = models.CharField(max_length=16, choices=EndReason, db_default="")
    claimed = models.IntegerField(db_default=0)
    succeeded = models.IntegerField(db_default=0)
    revived = models.IntegerField(db_default=0)
    failed = models.IntegerField(db_default=0)
    exhausted = models.IntegerField(db_default=0)
    lost = models.IntegerField(db_default=0)
    failures = models.JSONField(db_default={})

    class Meta:
        managed = False
        db_table = "retry_run_workers"

    def __str__(self) -> str:
        return f"{self.worker} in run {self.run_id}"


class Ticker(models.Model):
    """A beat that says that it runs, or (``tick``) the ticks that workers have had from any."""

    name = models.TextField()
    started_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        managed = False
        db_table = "retry_tickers"

    def __str__(self) -> str:
        return self.name


class RetryPolicy(models.Model):
    """The schedule's rules for some dead letters. A NULL comes from the next less specific policy.

    Its scope is a failure group, an event type, or all. What no policy says comes from the settings,
    DLQ_RETRY_*.
    """

    event_type = models.CharField(max_length=255, null=True, db_default=None)
    group_id = models.BigIntegerField(null=True, db_default=None)

    enabled = models.BooleanField(null=True, db_default=None)
    action = models.CharField(max_length=16, choices=RetryAction, null=True, db_default=None)
    max_retries = models.IntegerField(null=True, db_default=None)
    backoff = models.CharField(max_length=16, choices=BackoffKind, null=True, db_default=None)
    backoff_base_seconds = models.FloatField(null=True, db_default=None)
    backoff_cap_seconds = models.FloatField(null=True, db_default=None)
    window_days = models.CharField(max_length=27, null=True, db_default=None)
    window_begins = models.TimeField(null=True, db_default=None)
    window_ends = models.TimeField(null=True, db_default=None)
    window_zone = models.CharField(max_length=64, null=True, db_default=None)
    rate = models.FloatField(null=True, db_default=None)

    paused_at = models.DateTimeField(null=True, db_default=None)
    paused_until = models.DateTimeField(null=True, db_default=None)
    paused_by = models.TextField(db_default="")
    paused_reason = models.TextField(db_default="")

    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())
    updated_by = models.TextField(db_default="")
    version = models.IntegerField(db_default=1)

    class Meta:
        managed = False
        db_table = "retry_policies"

    def __str__(self) -> str:
        return f"retry policy {self.pk}"


class RunRequest(models.Model):
    """Somebody wants a run now: the next tick after the run that goes on, if one does, begins it."""

    asked_at = models.DateTimeField(db_default=Now())
    asked_by = models.TextField()
    reason = models.TextField(db_default="")

    class Meta:
        managed = False
        db_table = "retry_run_requests"

    def __str__(self) -> str:
        return f"request {self.pk} for a run"
