"""The schedule: with handlers, without, and dying half way."""

from django.conf import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from dlqconsole.core import handling
from dlqconsole.core.dead_letters import claims
from dlqconsole.core.dead_letters.claims import ClaimRequest
from dlqconsole.core.lifecycle.states import DeadLetterStatus as S
from dlqconsole.retries import policies, run
from tests.histories.database import PAST, as_time_passes
from tests.histories.failing_handlers import plan
from tests.histories.ledger import CRASH
from tests.histories.rules.base import OUTCOMES
from tests.histories.rules.operating import Operators
from tests.plain_sql import column, execute

HANDLERS = "tests.histories.failing_handlers"
HEALED = "SELECT id FROM dlq_events WHERE status = 'SUCCEEDED' AND id = ANY (%s)"
DEAD = (
    "SELECT id FROM dlq_events WHERE status = 'RETRYING' AND lease_until < clock_timestamp()"
    " AND begun_at IS {} NULL ORDER BY id"
)


class Schedule(Operators):
    """What a worker does by the clock."""

    @rule(outcome=OUTCOMES, has_handlers=st.sampled_from([True, True, False]), later=st.booleans())
    def run_the_schedule(self, outcome, has_handlers, later):
        if later:
            self.retries_are_due()
        self.begin_plan(outcome)
        self.crashed()
        waiting = [one for one in self.letters if one.status == S.PENDING]
        self.started_with(HANDLERS if has_handlers else "")
        try:
            run.run()
        finally:
            self.started_with(HANDLERS)
        self.failed_again(waiting)
        healed = column(HEALED, [one.id for one in waiting])
        assert len(healed) == plan.succeeded
        for number in healed:
            self.ledger.letters[number].becomes(S.SUCCEEDED)
            self.enrich(self.ledger.letters[number])

    @rule(later=st.booleans())
    def run_the_schedule_as_a_policy_revives(self, later):
        if later:
            self.retries_are_due()
        self.take_back_from_the_dead()
        waiting = [one for one in self.letters if self.status_of(one.id) == S.PENDING]
        execute("INSERT INTO retry_policies (action) VALUES ('revive')")
        policies.forget()
        try:
            run.run()
        finally:
            execute("DELETE FROM retry_policies")
            policies.forget()
        for letter in waiting:
            match self.status_of(letter.id):
                case S.REVIVED:
                    self.revived(letter)
                case S.EXHAUSTED:
                    letter.becomes(S.EXHAUSTED)

    def started_with(self, modules: str) -> None:
        """This process is one that was started with these handlers."""
        settings.DLQ_HANDLERS = modules

    def crashed(self) -> None:
        """What dead workers hold is about to be taken back."""
        for number in column(DEAD.format("NOT")):
            letter = self.ledger.letters[number]
            letter.failures.append(CRASH)
            letter.retries += 1
            letter.becomes(S.PENDING, S.EXHAUSTED, S.QUARANTINED)
        for number in column(DEAD.format("")):
            self.ledger.letters[number].becomes(S.PENDING)

    def retries_are_due(self) -> None:
        as_time_passes(f"UPDATE dlq_events SET retry_after = {PAST} WHERE retry_after > {PAST}")

    @rule(limit=st.integers(1, 3), later=st.booleans(), begins=st.booleans())
    def a_worker_claims_and_dies(self, limit, later, begins):
        if later:
            self.retries_are_due()
        wanted = [ClaimRequest(name, limit, 1000, 60.0) for name in handling.registry().event_types]
        for claim in [claim for lane in claims.claim_due(wanted, "dying").claims for claim in lane]:
            letter = self.ledger.letters[claim.id]
            assert letter.status == S.PENDING
            letter.becomes(S.RETRYING)
            if begins:
                claims.begin([claim], [60.0])

    def take_back_from_the_dead(self):
        self.crashed()
        claims.reclaim()
