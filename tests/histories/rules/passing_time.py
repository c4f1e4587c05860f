"""Time, and the chores that everybody does for all."""

from django.db import transaction
from hypothesis.stateful import rule

from dlqconsole.consuming.housekeeping import Housekeeping
from dlqconsole.core import messages
from dlqconsole.core.lifecycle.states import DeadLetterStatus as S
from dlqconsole.operations.work import run as operations
from dlqconsole.transports import lost
from tests.histories.database import PAST, as_time_passes
from tests.histories.rules.attached import Attached
from tests.histories.rules.base import QUEUES
from tests.histories.rules.scheduling import Schedule
from tests.plain_sql import column

LEFT = "SELECT id FROM message_queue WHERE queue = ANY (%s) AND status <> 'held'"
# Nobody works on it, and no message of it is on its way.
STUCK = (
    "SELECT id FROM dlq_events d WHERE status = 'RETRYING' OR status = 'REVIVED'"
    " AND NOT EXISTS (SELECT FROM message_queue m"
    " WHERE m.dlq_event_id = d.id AND m.revive_seq = d.revive_count AND m.status <> 'held')"
    " AND NOT EXISTS (SELECT FROM forwarded_messages f"
    " WHERE f.dlq_event_id = d.id AND f.revive_seq = d.revive_count)"
)


class Time(Schedule, Attached):
    """Leases run out, moments come, and nothing is stuck when the chores are done."""

    @rule()
    def leases_run_out(self):
        as_time_passes(f"UPDATE message_queue SET lease_until = {PAST} WHERE status = 'processing'")
        as_time_passes(f"UPDATE dlq_events SET lease_until = {PAST} WHERE status = 'RETRYING'")

    @rule()
    def moments_come(self):
        as_time_passes(f"UPDATE message_queue SET next_retry_at = {PAST} WHERE next_retry_at > {PAST}")
        as_time_passes(f"UPDATE operations SET undo_until = {PAST} WHERE undo_until > {PAST}")
        as_time_passes("UPDATE dlq_events SET revived_at = revived_at - interval '2 minutes'")
        self.retries_are_due()
        self.their_moments_come()

    @rule()
    def chores(self):
        self.take_back_from_the_dead()
        Housekeeping(QUEUES).keep()
        operations.release_due(float("inf"))
        self.relay()
        for letter in self.letters:
            if letter.is_adrift and letter.status == S.REVIVED:
                letter.becomes(S.REVIVED, letter.revived_from)
        lost.settle()

    @rule()
    def nothing_is_stuck_when_time_has_passed(self):
        self.leases_run_out()
        self.moments_come()
        self.everything_can_be_claimed()
        self.chores()
        self.everything_can_be_claimed()
        assert column(STUCK) == []

    def everything_can_be_claimed(self) -> None:
        """By whoever claims, whether anybody has done chores or not; but what an undo window holds back."""
        with transaction.atomic():
            for queue in QUEUES:
                while claims := messages.claim(queue, 100, "last", 60.0):
                    messages.complete(claims)
            left = column(LEFT, list(QUEUES))
            transaction.set_rollback(True)
        assert left == []
