"""The wait before the next attempt: arithmetic only, no clock and no dice."""

# 2 ** 20 seconds is twelve days: any sensible cap is reached long before, and no float overflows.
_LAST_STEP = 20


def delay(attempt: int, base: float, cap: float, factor: float = 2.0, jitter: float = 1.0) -> float:
    """Return the seconds to wait after failed attempt number `attempt` (0 for the first).

    The wait is `base * factor ** attempt`, never above `cap`, times `jitter`: a random fraction
    between 0 and 1 that the caller draws ("full jitter"), or 1 for none. Raises ValueError for a
    negative attempt, base or cap, a factor below 1, or a jitter outside 0 … 1.
    """
    if attempt < 0 or base < 0 or cap < 0:
        raise ValueError(f"attempt, base and cap must not be negative: {attempt}, {base}, {cap}")
    if factor < 1 or not 0 <= jitter <= 1:
        raise ValueError(f"factor must be at least 1 and jitter between 0 and 1: {factor}, {jitter}")
    return float(min(cap, base * factor ** min(attempt, _LAST_STEP)) * jitter)
