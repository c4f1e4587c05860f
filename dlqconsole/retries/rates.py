"""Rates: the attempts a second that a policy allows, and the gentle start of a late run."""

import time

# a run that begins later than this after its time starts its backlog gently
LATE_SECONDS = 300.0
# a late run begins with so many attempts a second in all, and doubles them after each of these periods
START_RATE = 10.0
DOUBLES_EVERY_SECONDS = 10.0
# after this time there is no limit
GENTLE_SECONDS = 120.0


class Rate:
    """A bucket that fills with ``rate`` a second, up to one second's worth. None: no limit."""

    def __init__(self, rate: float | None) -> None:
        self._rate = rate
        self._level, self._filled_at = 1.0, time.monotonic()

    def follow(self, rate: float | None) -> None:
        """Set the rate from now on."""
        self._fill()
        self._rate = rate

    def room(self) -> int:
        """The number that may go now."""
        self._fill()
        return 1_000_000 if self._rate is None else int(self._level)

    def took(self, number: int) -> None:
        """Take so many from the bucket."""
        self._level -= number

    def _fill(self) -> None:
        now = time.monotonic()
        rate = self._rate or 0.0
        # a negative level is paid back first
        self._level = min(max(rate, 1.0), self._level + (now - self._filled_at) * rate)
        self._filled_at = now


def gentle_rate(seconds: float, workers: int) -> float | None:
    """The attempts a second of one of ``workers``, ``seconds`` after a late run began; None: no limit."""
    if seconds >= GENTLE_SECONDS:
        return None
    return START_RATE * float(2 ** (seconds / DOUBLES_EVERY_SECONDS)) / workers
