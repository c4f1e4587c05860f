"""The limits that a handler's code names: how often it is retried, how long between, how long it may take."""

import math
from dataclasses import dataclass
from numbers import Real

from .errors import HandlerSetupError

MOST_RETRIES = 1_000_000
SHORTEST_WAIT, LONGEST_WAIT = 1.0, 2_678_400.0

type Wait = float | tuple[float, float]


@dataclass(frozen=True, slots=True)
class HandlerLimits:
    """None: the code does not say. Waits are in seconds; without a longest one all are as the first."""

    max_retries: int | None = None
    first_wait: float | None = None
    longest_wait: float | None = None
    timeout: float | None = None

    @property
    def names_retries(self) -> bool:
        """Tell whether it says anything of retries."""
        return self.max_retries is not None or self.first_wait is not None


NO_LIMITS = HandlerLimits()


def read_limits(
    event_type: str, max_retries: int | None, backoff: Wait | None, timeout: float | None
) -> HandlerLimits:
    """Return the limits of a `@handler` line. Raises HandlerSetupError for what is none."""
    if max_retries is not None and (type(max_retries) is not int or not 0 <= max_retries <= MOST_RETRIES):
        _refuse(event_type, f"max_retries is 0 to {MOST_RETRIES:,}", max_retries)
    if timeout is not None and not (_is_number(timeout) and timeout > 0):
        _refuse(event_type, "timeout is a number of seconds above 0", timeout)
    waits = backoff if isinstance(backoff, tuple) else () if backoff is None else (backoff,)
    are_numbers = all(_is_number(wait) and SHORTEST_WAIT <= wait <= LONGEST_WAIT for wait in waits)
    is_usable = are_numbers and list(waits) == sorted(waits) and len(waits) in (1, 2)
    if backoff is not None and not is_usable:
        _refuse(event_type, "backoff is 1 to 2,678,400 seconds, or the first and the longest wait", backoff)
    first, longest = (*map(float, waits), None, None)[:2]
    return HandlerLimits(max_retries, first, longest, None if timeout is None else float(timeout))


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _refuse(event_type: str, sentence: str, value: object) -> None:
    raise HandlerSetupError(f"@handler({event_type!r}): {sentence}, not {value!r}")
