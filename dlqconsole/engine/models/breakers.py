"""What is left alone for a while because something that it needs is away."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from dlqconsole.engine.models._checks import countable, readable, soon

CLOSED, OPEN, HALF_OPEN = "closed", "open", "half-open"


class Breaker(models.Model):
    """One circuit breaker: of an event type, or of a dependency that handlers name."""

    key = models.TextField(primary_key=True, db_comment="type:<event type> or dependency:<name>")
    state = models.TextField(
        db_default=CLOSED,
        db_comment="closed: handlers run; open: they do not; half-open: a few runs try whether it is over",
    )
    since = models.DateTimeField(db_default=Now(), db_comment="of this state")
    reason = models.TextField(db_default="", db_comment="the last failure that says the other side is away")
    event_types = ArrayField(
        models.TextField(), db_default=[], db_comment="those that were told of it, a hundred at most"
    )
    only_again = models.BooleanField(
        db_default=False, db_comment="opened by what had failed before: first attempts go on"
    )
    score = models.FloatField(db_default=0, db_comment="of first attempts; it opens where this is too high")
    rose_at = models.DateTimeField(
        null=True, db_default=None, db_comment="when the score last left zero; older successes do not count"
    )
    again_score = models.FloatField(db_default=0, db_comment="the same of what had failed before")
    failures = models.IntegerField(db_default=0, db_comment="since the score was zero")
    noted_at = models.DateTimeField(db_default=Now(), db_comment="the last outcome that was told")
    first_success_at = models.DateTimeField(
        null=True, db_default=None, db_comment="the last success of a first attempt that was told"
    )
    next_probe_at = models.DateTimeField(null=True, db_default=None, db_comment="when one run may try")
    probes = models.IntegerField(db_default=0, db_comment="runs that tried since it opened")
    successes = models.IntegerField(db_default=0, db_comment="of these, the last in a row that went well")
    held = models.TextField(null=True, db_default=None, db_comment="open or closed, as a person said")
    held_until = models.DateTimeField(null=True, db_default=None)
    held_by = models.TextField(db_default="")
    held_reason = models.TextField(db_default="")
    told_by = models.TextField(db_default="", db_comment="the role of the database that told the reason")

    class Meta:
        db_table = "breakers"
        db_table_comment = (
            "One circuit breaker a row: of an event type, or of a dependency that handlers name. Closed where"
            " there is none."
        )
        constraints = [
            models.CheckConstraint(
                condition=Q(key__startswith="type:") | Q(key__startswith="dependency:"), name="breakers_key"
            ),
            models.CheckConstraint(condition=Q(state__in=[CLOSED, OPEN, HALF_OPEN]), name="breakers_state"),
            models.CheckConstraint(
                condition=Q(state=CLOSED) | Q(next_probe_at__isnull=False), name="breakers_probed"
            ),
            models.CheckConstraint(
                condition=Q(held__isnull=True, held_until__isnull=True)
                | Q(held__in=[OPEN, CLOSED], held_until__isnull=False),
                name="breakers_held",
            ),
            models.CheckConstraint(
                condition=readable(
                    "since", "noted_at", "rose_at", "first_success_at", "next_probe_at", "held_until"
                ),
                name="breakers_moments",
            ),
            models.CheckConstraint(
                condition=countable("failures", "probes", "successes"), name="breakers_numbers"
            ),
            # an hour more than any pause: after a failover the clock may be behind
            models.CheckConstraint(
                condition=Q(next_probe_at__lte=soon(days=1, hours=1), since__lte=soon(hours=1)),
                name="breakers_soon",
            ),
        ]

    def __str__(self) -> str:
        return f"breaker {self.key}"
