"""Claiming from one queue again and again, without walking over what has been claimed already."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dlqconsole.core.messages.claims import START, MessageClaim, TypeChoice, as_claims, take

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
    # when the claim began that is under way
    begun_at: float = 0.0
    # of what was claimed last
    turn: int = 0
    behind_at: float = field(default_factory=lambda: time.monotonic() + BEHIND_EVERY)

    def claim(self, limit: int, lease_seconds: float, choice: TypeChoice | None = None) -> list[MessageClaim]:
        """Claim up to ``limit`` due messages, in order; ``choice`` says of which event types."""
        return self.next_claims(take(self.values(limit, lease_seconds), choice), limit, lease_seconds, choice)

    def values(self, limit: int, lease_seconds: float) -> dict[str, Any]:
        """Begin a claim: return its statement's parameters. ``next_claims`` ends it."""
        self.begun_at = time.monotonic()
        if self.begun_at >= self.start_again_at:
            self.place = START
        if self.begun_at >= self.behind_at:
            self._look_behind(self.begun_at)
        return {
            "queue": self.queue,
            "owner": self.owner,
            "lease": lease_seconds,
            "limit": limit,
            "from_turn": self.place[0],
            "from_id": self.place[1],
        }

    def next_claims(
        self,
        rows: Sequence[tuple[Any, ...]],
        limit: int,
        lease_seconds: float,
        choice: TypeChoice | None = None,
    ) -> list[MessageClaim]:
        """Return the claims of the statement's rows. Where there is none, look from the start."""
        batch = as_claims(self.queue, rows)
        if self.place == START:
            self.start_again_at = self.begun_at + (time.monotonic() - self.begun_at) * FROM_THE_START_EVERY
        elif not batch:
            self.start_again_at = 0.0
            return self.claim(limit, lease_seconds, choice)
        self._go_on_after(batch, limit)
        return batch

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
