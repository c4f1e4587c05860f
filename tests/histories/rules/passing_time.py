"""Time, and the chores that everybody does for all."""

from django.db import transaction
from hypothesis.stateful import rule

from dlqconsole.consuming.housekeeping import Housekeeping
from dlqconsole.engine import messages
from dlqconsole.operations import run as operations
from tests.histories.database import PAST, as_time_passes, column, value
from tests.histories.rules.attached import Attached
from tests.histories.rules.base import QUEUES
from tests.histories.rules.scheduling import Schedule


class Time(Schedule, Attached):
    """Leases run out, moments come, and nothing is stuck when the chores are done."""

    @rule()
    def leases_run_out(self):
        as_time_passes(f"UPDATE message_queue SET lease_until = {PAST} WHERE status = 'processing'")
        as_time_passes(f"UPDATE dlq_events SET lease_until = {PAST} WHERE status = 'RETRYING'")

    @rule()
    def moments_come(self):
        as_time_passes(f"UPDATE message_queue SET next_retry_at = {PAST} WHERE next_retry_at > {PAST}")
        self.retries_are_due()
        as_time_passes(f"UPDATE operations SET undo_until = {PAST} WHERE undo_until > {PAST}")
        self.their_moments_come()

    @rule()
    def chores(self):
        self.take_back_from_the_dead()
        Housekeeping(QUEUES).keep()
        operations.release_due(float("inf"))
        self.relay()

    @rule()
    def time_passes_until_nothing_is_stuck(self):
        """Whatever happened: when time has passed and the chores are done, everything can be taken up."""
        self.leases_run_out()
        self.moments_come()
        self.chores()
        assert column("SELECT id FROM dlq_events WHERE status = 'RETRYING'") == []
        with transaction.atomic():
            for queue in QUEUES:
                while claims := messages.claim(queue, 100, "last", 60.0):
                    messages.complete(claims)
            left = value("SELECT count(*) FROM message_queue")
            transaction.set_rollback(True)
        assert left == 0
