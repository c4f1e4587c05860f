"""Limits of one event: what we agree to read and to keep, and what its handler's code names."""

import math
from dataclasses import dataclass
from numbers import Real

from .errors import HandlerSetupError

MEBIBYTE = 1024 * 1024

MOST_RETRIES = 1_000_000
SHORTEST_WAIT, LONGEST_WAIT = 1.0, 2_678_400.0

type Wait = float | tuple[float, float]


@dataclass(frozen=True, slots=True)
class Limits:
    """The bytes of a payload are a setting, `DLQ_MAX_PAYLOAD_BYTES`; nobody turns the others.

    A key and its value take four bytes or more, so by default the bytes end a payload before its keys do.
    The keys count for whoever allows larger payloads: reading one key costs as much time and memory as
    hundreds of bytes of text.
    """

    payload_bytes: int = MEBIBYTE
    payload_keys: int = MEBIBYTE // 4
    record_bytes: int = MEBIBYTE

    @property
    def stored_characters(self) -> int:
        """The number of characters from which jsonb's text of a payload is too long, whatever it holds.

        jsonb writes a space after each comma and each colon: at most as much again as was sent.
        """
        return 2 * self.payload_bytes + 1


DEFAULT_LIMITS = Limits()


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
