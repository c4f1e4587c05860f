"""What the schedule did, run by run, and what people told it to do."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from dlqconsole.engine.lifecycle.states import Category
from dlqconsole.engine.models._checks import readable

_DAY = 86_400
# of a policy's numbers, the least and the most
BOUNDS: dict[str, tuple[float, float]] = {
    "max_retries": (0, 1_000_000),
    "batch": (1, 10_000),
    "rate": (0.001, 1_000_000),
    "parallelism": (1, 1_000),
    "lease_seconds": (1, _DAY),
    "lock_at_least_seconds": (0, 300),
    "weight": (1, 1_000),
}
BACKOFF_SECONDS = (1, 31 * _DAY)
_A_DAY = "(mon|tue|wed|thu|fri|sat|sun)"
_SOME_DAYS = f"^{_A_DAY}(,{_A_DAY}){{0,6}}$"


class BackoffKind(models.TextChoices):
    """How the wait goes on after each failure."""

    FIXED = "fixed", "the same each time"
    EXPONENTIAL = "exponential", "doubled each time, with full jitter"


class Ended(models.TextChoices):
    """What a run ended for, and what a worker left it for."""

    NOTHING_DUE = "nothing due", "nothing is due any more"
    HELD_BACK = "held back", "what is due is held back for a while: a breaker, a policy or a pace"
    TIME = "time", "its time was used"
    STOPPED = "stopped", "its worker was told to stop"
    LOCK_LOST = "lock lost", "somebody else has taken the lock"
    DIED = "died", "its worker stopped without a word"
    ERROR = "error", "an error"
    FOR_OTHERS = "for others", "what is left is for another worker's handlers"
    TAKEN_OVER = "taken over", "a person took it over"


class RetryRun(models.Model):
    """One scheduled run of the whole fleet: every worker that has a tick joins it."""

    started_at = models.DateTimeField(db_default=Now())
    heartbeat_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, db_default=None)
    trigger = models.CharField(max_length=16, db_comment='"schedule" or "by hand"')
    worker = models.TextField(db_comment="who holds the lock and keeps the book of it")
    token = models.BigIntegerField(
        db_default=0, db_comment="of the lock that it runs under: after the next one's it does no more"
    )
    late_seconds = models.FloatField(
        db_default=0.0, db_comment="how long after its time it began: late ones begin gently"
    )
    missed = models.IntegerField(
        db_default=0, db_comment="turns before it that nobody took: this one makes up for all"
    )
    claimed = models.IntegerField(db_default=0)
    succeeded = models.IntegerField(db_default=0)
    failed = models.IntegerField(db_default=0)
    exhausted = models.IntegerField(db_default=0)
    lost = models.IntegerField(
        db_default=0,
        db_comment="leases that ran out while a handler ran: somebody else took the row",
    )
    ended_for = models.CharField(max_length=16, choices=Ended, db_default="")
    more_due = models.BooleanField(
        db_default=False, db_comment="the next run does not wait for its turn, but for resume_at"
    )
    resume_at = models.DateTimeField(null=True, db_default=None)
    note = models.TextField(
        db_default="", db_comment='why it ended, where that is not "nothing is due any more"'
    )

    class Meta:
        db_table = "retry_runs"
        db_table_comment = "One scheduled run of the whole fleet: every worker that has a tick joins it."
        # the newest run: asked at every tick
        indexes = [models.Index(fields=["-started_at"], name="retry_runs_newest")]

    def __str__(self) -> str:
        return f"retry run {self.pk}"


class RetryRunWorker(models.Model):
    """What one worker did in a run. The run's own counts are the sums of these."""

    run_id = models.BigIntegerField()
    worker = models.TextField()
    joined_at = models.DateTimeField(db_default=Now())
    heartbeat_at = models.DateTimeField(db_default=Now())
    left_at = models.DateTimeField(null=True, db_default=None)
    left_for = models.CharField(max_length=16, choices=Ended, db_default="")
    claimed = models.IntegerField(db_default=0)
    succeeded = models.IntegerField(db_default=0)
    failed = models.IntegerField(db_default=0)
    exhausted = models.IntegerField(db_default=0)
    lost = models.IntegerField(db_default=0)
    failures = models.JSONField(
        db_default={}, db_comment="how many attempts failed, by the number of their failure group"
    )

    class Meta:
        db_table = "retry_run_workers"
        db_table_comment = "What one worker did in a run. The run's own counts are the sums of these."
        constraints = [models.UniqueConstraint(fields=["run_id", "worker"], name="retry_run_workers_one")]

    def __str__(self) -> str:
        return f"{self.worker} in run {self.run_id}"


class Ticker(models.Model):
    """A beat that says that it runs, or (``tick``) the ticks that workers have had from any."""

    name = models.TextField()
    started_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "retry_tickers"
        db_table_comment = "The beats that run; in the row called tick, when a worker last had a tick of one."
        constraints = [models.UniqueConstraint(fields=["name"], name="retry_tickers_name")]

    def __str__(self) -> str:
        return self.name


def _is_empty(*names: str) -> Q:
    return Q(**{f"{name}__isnull": True for name in names})


def _readable_or_null(name: str) -> Q:
    return _is_empty(name) | readable(name)


def _is_given(*names: str) -> Q:
    return Q(**{f"{name}__isnull": False for name in names})


class RetryPolicy(models.Model):
    """How the schedule treats some dead letters; a NULL comes from the next less specific policy.

    Whose: a failure group's, an event type's of one category, an event type's, a category's, or all. What no
    policy says comes from the settings, DLQ_RETRY_*.
    """

    event_type = models.CharField(max_length=255, null=True, db_default=None, db_comment="NULL: any")
    error_category = models.CharField(
        max_length=16, choices=Category, null=True, db_default=None, db_comment="NULL: any"
    )
    group_id = models.BigIntegerField(null=True, db_default=None, db_comment="NULL: any")

    enabled = models.BooleanField(null=True, db_default=None, db_comment="whether the schedule retries them")
    max_retries = models.IntegerField(null=True, db_default=None)
    backoff = models.CharField(
        max_length=16,
        choices=BackoffKind,
        null=True,
        db_default=None,
        db_comment="NULL: and both numbers are",
    )
    backoff_base_seconds = models.FloatField(
        null=True, db_default=None, db_comment="the wait, or the first one of those that grow"
    )
    backoff_cap_seconds = models.FloatField(
        null=True, db_default=None, db_comment="the longest wait; NULL where all are alike"
    )
    window_days = models.CharField(
        max_length=27, null=True, db_default=None, db_comment='"mon,tue"; NULL: and the other three are'
    )
    window_begins = models.TimeField(null=True, db_default=None)
    window_ends = models.TimeField(
        null=True, db_default=None, db_comment="not after it begins: on the day after"
    )
    window_zone = models.CharField(max_length=64, null=True, db_default=None, db_comment="Europe/Berlin")
    batch = models.IntegerField(null=True, db_default=None, db_comment="dead letters claimed at once")
    rate = models.FloatField(
        null=True, db_default=None, db_comment="attempts a second at most, in all workers together"
    )
    parallelism = models.IntegerField(
        null=True, db_default=None, db_comment="handlers at once at most, in all workers together"
    )
    lease_seconds = models.IntegerField(null=True, db_default=None, db_comment="how long a claim holds")
    lock_at_least_seconds = models.IntegerField(
        null=True, db_default=None, db_comment="the lock is held so long at least; of the policy for all"
    )
    weight = models.IntegerField(
        null=True, db_default=None, db_comment="turns of this among the turns of the others"
    )

    paused_at = models.DateTimeField(null=True, db_default=None, db_comment="since when; NULL: not paused")
    paused_until = models.DateTimeField(
        null=True, db_default=None, db_comment="goes on by itself; NULL: until somebody resumes it"
    )
    paused_by = models.TextField(db_default="")
    paused_reason = models.TextField(db_default="")

    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())
    updated_by = models.TextField(db_default="")
    version = models.IntegerField(
        db_default=1, db_comment="goes up with every change: two people's edits cannot overwrite each other"
    )

    class Meta:
        db_table = "retry_policies"
        db_table_comment = (
            "How the schedule treats some dead letters; a NULL comes from the next less specific policy."
        )
        constraints = [
            models.UniqueConstraint(
                fields=["event_type", "error_category", "group_id"],
                nulls_distinct=False,
                name="retry_policies_whose",
            ),
            models.CheckConstraint(
                condition=_is_empty("group_id") | _is_empty("event_type", "error_category"),
                name="retry_policies_group_alone",
            ),
            models.CheckConstraint(
                condition=_is_empty("error_category") | Q(error_category__in=Category.values),
                name="retry_policies_category",
            ),
            models.CheckConstraint(
                condition=_is_empty("backoff", "backoff_base_seconds", "backoff_cap_seconds")
                | _is_given("backoff", "backoff_base_seconds")
                & Q(backoff="fixed", backoff_base_seconds__range=BACKOFF_SECONDS)
                & _is_empty("backoff_cap_seconds")
                | _is_given("backoff", "backoff_base_seconds", "backoff_cap_seconds")
                & Q(
                    backoff="exponential",
                    backoff_base_seconds__range=(BACKOFF_SECONDS[0], models.F("backoff_cap_seconds")),
                    backoff_cap_seconds__lte=BACKOFF_SECONDS[1],
                ),
                name="retry_policies_backoff",
            ),
            models.CheckConstraint(
                condition=_is_empty("window_days", "window_begins", "window_ends", "window_zone")
                | _is_given("window_days", "window_begins", "window_ends", "window_zone")
                & Q(window_days__regex=_SOME_DAYS),
                name="retry_policies_window",
            ),
            *(
                models.CheckConstraint(
                    condition=Q(**{f"{name}__gte": low, f"{name}__lte": high}) | _is_empty(name),
                    name=f"retry_policies_{name}",
                )
                for name, (low, high) in BOUNDS.items()
            ),
            models.CheckConstraint(
                condition=_is_empty("lock_at_least_seconds")
                | _is_empty("event_type", "error_category", "group_id"),
                name="retry_policies_one_lock",
            ),
            models.CheckConstraint(
                condition=_readable_or_null("paused_at")
                & _readable_or_null("paused_until")
                & readable("created_at", "updated_at"),
                name="retry_policies_moments",
            ),
        ]

    def __str__(self) -> str:
        return f"retry policy {self.pk}"


class RunRequest(models.Model):
    """Somebody wants a run now: the next tick after the run that goes on, if one does, begins it."""

    asked_at = models.DateTimeField(db_default=Now())
    asked_by = models.TextField()
    reason = models.TextField(db_default="")

    class Meta:
        db_table = "retry_run_requests"
        db_table_comment = "Somebody wants a run now: the next tick begins it."
        constraints = [
            models.CheckConstraint(condition=readable("asked_at"), name="retry_run_requests_moments")
        ]

    def __str__(self) -> str:
        return f"request {self.pk} for a run"
