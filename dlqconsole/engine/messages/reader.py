"""Claiming from one queue again and again, without walking over what has been claimed already."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from dlqconsole.engine.database import prepared
from dlqconsole.engine.messages.claims import START, Claim, begin_claim

# A queue is read from its very beginning as often as costs a twentieth of the time.
FROM_THE_START_EVERY = 20


@dataclass(slots=True)
class Reader:
    """Claims from one queue, beginning where the last claim ended. One thread's.

    Before that place stand messages in flight, and, while an old transaction keeps them, thousands that are
    long gone; walking over them with every claim is what makes a queue slow. What came back to an earlier
    place, or is more urgent, is found by reading from the start: whenever the place yields too little, and
    otherwise as often as costs little.
    """

    queue: str
    owner: str
    place: tuple[int, int] = START
    start_again_at: float = 0.0

    def claim(self, limit: int, lease_seconds: float) -> list[Claim]:
        """Claim up to ``limit`` due messages, in order."""
        with prepared.together():
            claims = self.begin_claim(limit, lease_seconds)
        return claims()

    def begin_claim(self, limit: int, lease_seconds: float) -> Callable[[], list[Claim]]:
        """The same inside ``prepared.together``: call what is returned when that has ended."""
        begun = time.monotonic()
        if begun >= self.start_again_at:
            self.place = START
        from_start = self.place == START
        found = begin_claim(self.queue, limit, self.owner, lease_seconds, place=self.place)

        def claims() -> list[Claim]:
            claimed = found()
            if from_start:
                self.start_again_at = begun + (time.monotonic() - begun) * FROM_THE_START_EVERY
            if not claimed and not from_start:
                self.start_again_at = 0.0
                return self.claim(limit, lease_seconds)
            self._go_on_after(claimed, limit)
            return claimed

        return claims

    def _go_on_after(self, claimed: list[Claim], limit: int) -> None:
        if len(claimed) < limit:
            self.place, self.start_again_at = START, 0.0
        else:
            self.place = (-claimed[-1].priority, claimed[-1].id)
