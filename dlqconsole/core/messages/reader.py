"""Claiming from one queue again and again, without walking over what has been claimed already."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from dlqconsole.core import prepared
from dlqconsole.core.messages.claims import START, MessageClaim, TypeChoice, begin_claim

# A queue is read from its very beginning as often as costs a twentieth of the time.
FROM_THE_START_EVERY = 20
# Failed messages stand behind untried ones. While those have no end, claim failed ones so often, in seconds.
BEHIND_EVERY = 60.0


@dataclass(slots=True)
class QueueReader:
    """Claims from one queue, beginning where the last claim ended. One thread's.

    Before that place stand messages in flight, and, while an old transaction keeps them, thousands that are
    long gone; walking over them with every claim would make a queue slow. Messages that came back to an
    earlier place, or are more urgent, are found by reading from the start: whenever the place yields too
    little, and otherwise as often as costs little.
    """

    queue: str
    owner: str
    place: tuple[int, int] = START
    start_again_at: float = 0.0
    # of what was claimed last
    turn: int = 0
    behind_at: float = field(default_factory=lambda: time.monotonic() + BEHIND_EVERY)

    def claim(self, limit: int, lease_seconds: float, choice: TypeChoice | None = None) -> list[MessageClaim]:
        """Claim up to ``limit`` due messages, in order; ``choice`` says of which event types."""
        with prepared.pipeline():
            claims = self.begin_claim(limit, lease_seconds, choice)
        return claims()

    def begin_claim(
        self, limit: int, lease_seconds: float, choice: TypeChoice | None = None
    ) -> Callable[[], list[MessageClaim]]:
        """Claim inside ``prepared.pipeline``; call the returned function when that has ended."""
        start = time.monotonic()
        if start >= self.start_again_at:
            self.place = START
        if start >= self.behind_at:
            self._look_behind(start)
        from_start = self.place == START
        finish = begin_claim(self.queue, limit, self.owner, lease_seconds, place=self.place, choice=choice)

        def claims() -> list[MessageClaim]:
            batch = finish()
            if from_start:
                self.start_again_at = start + (time.monotonic() - start) * FROM_THE_START_EVERY
            if not batch and not from_start:
                self.start_again_at = 0.0
                return self.claim(limit, lease_seconds, choice)
            self._go_on_after(batch, limit)
            return batch

        return claims

    def _go_on_after(self, batch: list[MessageClaim], limit: int) -> None:
        if len(batch) < limit:
            self.place, self.start_again_at = START, 0.0
            self.behind_at = time.monotonic() + BEHIND_EVERY
        else:
            self.turn = batch[-1].turn
            self.place = (self.turn, batch[-1].id)

    def _look_behind(self, now: float) -> None:
        """Claim failed messages of the current priority next; then from the start again."""
        self.place = (self.turn | 1, 0)
        self.start_again_at, self.behind_at = 0.0, now + BEHIND_EVERY
