"""A pace in words."""

_UNITS = ((1.0, "a second"), (60.0, "a minute"), (3_600.0, "an hour"))


def rate_words(per_second: float) -> str:
    """Return a rate in the largest unit that has ten of them: ``120 an hour``."""
    units = ((seconds, unit) for seconds, unit in _UNITS if per_second * seconds >= 10)
    seconds, unit = next(units, _UNITS[-1])
    return f"{round(per_second * seconds):,} {unit}"


def share_words(came_back: int, attempts: int) -> str:
    """``34 % of 212 came back``."""
    return f"{came_back * 100 // attempts} % of {attempts:,} came back"


def latency_words(seconds: float) -> str:
    """``480 ms``, ``2.1 s``."""
    return f"{seconds * 1000:,.0f} ms" if seconds < 1 else f"{seconds:,.1f} s"


def slow_words(latency: float, baseline: float) -> str:
    """Return the reason: it is slowed by latency."""
    return f"its handler takes {latency_words(latency)}, {latency_words(baseline)} is usual"
