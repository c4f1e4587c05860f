"""One batch of claimed dead letters, handled one by one while its leases last."""

import time
from collections.abc import Callable, Iterator

from django.conf import settings

from dlqconsole.engine.database.transient_errors import retry_transient
from dlqconsole.engine.dead_letters import transitions as dead_letters
from dlqconsole.engine.dead_letters.transitions import Claim
from dlqconsole.engine.models import DeadLetter
from dlqconsole.retries.attempts import Attempted, attempt, row_lease_seconds

KIND = "schedule"


class Batch:
    """Handles the claims in turn and yields what came of each.

    ``may_go_on`` is asked before each; once it says no, the rest goes back as it was. A claim whose lease
    was lost meanwhile is counted in ``lost`` and left to its new holder.
    """

    def __init__(self, claims: list[Claim], owner: str, may_go_on: Callable[[], bool]) -> None:
        self.owner, self.may_go_on = owner, may_go_on
        self.lost = 0
        # whose payloads name another type than their rows: given back, and not for this run again
        self.unhandled: list[int] = []
        self._suspects = _crashed_before(claims)
        self._waiting = [claim for claim in claims if claim.id not in self._suspects]
        dead_letters.give_back([claim for claim in claims if claim.id in self._suspects])
        self._extended = time.monotonic()

    def results(self) -> Iterator[Attempted]:
        """The outcomes, one by one."""
        try:
            while self._waiting and self.may_go_on():
                self._keep_leases()
                if self._waiting:
                    yield self._attempt(self._waiting.pop(0))
        finally:
            dead_letters.give_back(self._waiting)
        yield from self._one_at_a_time()

    def _one_at_a_time(self) -> Iterator[Attempted]:
        """What a worker died of before is claimed alone: a killer then takes no other dead letter with it."""
        for letter_id in sorted(self._suspects):
            if not self.may_go_on():
                return
            for claim in dead_letters.claim_these([letter_id], self.owner, row_lease_seconds(), None):
                yield self._attempt(claim)

    def _attempt(self, claim: Claim) -> Attempted:
        done = attempt(claim, KIND)
        self.lost += done.lost
        if done.unhandled:
            self.unhandled.append(claim.id)
        return done

    def _keep_leases(self) -> None:
        """Extend before what is left could run out while the next handler takes its whole time."""
        if time.monotonic() - self._extended < settings.DLQ_LEASE_SECONDS / 2:
            return
        self._extended = time.monotonic()
        held = retry_transient(lambda: dead_letters.extend(self._waiting, row_lease_seconds()))
        self.lost += len(self._waiting) - len(held)
        self._waiting = [claim for claim in self._waiting if claim.id in held]


def _crashed_before(claims: list[Claim]) -> set[int]:
    ids = [claim.id for claim in claims]
    return set(DeadLetter.objects.filter(pk__in=ids, crash_count__gt=0).values_list("pk", flat=True))
