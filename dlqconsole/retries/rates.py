"""So many a second, and no more: what a policy allows, and how gently a late run begins."""

import time

# a run that began later than this after its time lets through gently what has piled up
LATE_SECONDS = 300.0
# a late run begins with so many attempts a second in all, and may do twice as many each time this has passed
START_RATE = 10.0
DOUBLES_EVERY_SECONDS = 10.0
# by then nothing is held back any more
GENTLE_SECONDS = 120.0


class Rate:
    """A bucket that fills with ``rate`` a second and holds as much as a second brings. None: no limit."""

    def __init__(self, rate: float | None) -> None:
        self._rate = rate
        self._held, self._filled = 1.0, time.monotonic()

    def follow(self, rate: float | None) -> None:
        """It is so much from now on."""
        self._fill()
        self._rate = rate

    def room(self) -> int:
        """How many may go now."""
        self._fill()
        return 1_000_000 if self._rate is None else int(self._held)

    def took(self, number: int) -> None:
        """So many went."""
        self._held -= number

    def _fill(self) -> None:
        now = time.monotonic()
        rate = self._rate or 0.0
        # what somebody else took on credit is paid back first
        self._held = min(max(rate, 1.0), self._held + (now - self._filled) * rate)
        self._filled = now


def gentle_rate(seconds: float, workers: int) -> float | None:
    """What one of so many workers may do a second, so long after a late run began; None: no limit."""
    if seconds >= GENTLE_SECONDS:
        return None
    return START_RATE * float(2 ** (seconds / DOUBLES_EVERY_SECONDS)) / workers
