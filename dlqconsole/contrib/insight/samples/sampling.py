"""The choice of the successful events that are kept as samples, in a third of a microsecond an event.

Two ways in. By the type's rate: one event in so many, after gaps of random length, so that every event has
the same chance. And the first few of its type in each minute of each process, so that rare types are not
without any; these lean to the beginnings of minutes, and say so (``by_rate`` is false).
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import log
from random import random

from dlqconsole.processing.masking import Masker

# events of a type that each process takes in a minute, whatever its rate
FIRST = 10
MINUTE = 60.0
# characters or bytes; larger payloads are not kept as samples
LARGEST = 65_536
# a type that is switched off is asked about again after so many events
_ASK_AGAIN = 1_000


@dataclass(frozen=True, slots=True)
class SamplePolicy:
    """The sampling of a type: one event in ``one_in`` (0: none at all), stored masked or as it came."""

    one_in: int = 200
    is_masked: bool = True

    def but(self, one_in: int | None, masking: bool | None) -> "SamplePolicy":
        """The same with what somebody has said of a type; None: nothing."""
        return SamplePolicy(
            self.one_in if one_in is None else one_in, self.is_masked if masking is None else masking
        )


@dataclass(frozen=True, slots=True)
class SampleChoice:
    """An event that becomes a sample. ``stands_for``: it, and those of its type since the last sample."""

    by_rate: bool
    stands_for: int


@dataclass(frozen=True, slots=True)
class InputSample:
    """The stored form of an input: JSON text, or bytes that JSONB cannot hold. ``is_masked``: changed."""

    payload: str | None
    payload_raw: bytes | None
    is_masked: bool


@dataclass(slots=True)
class _TypeCounter:
    """One type in this process: events since its last sample, until the next, and how many of this minute
    are still taken as its first."""

    since: int = 0
    until_next: int = 0
    first: int = FIRST


class Sampler:
    """Decides for one process. ``policy_of`` is asked when an event may be taken, not for each."""

    def __init__(
        self, policy_of: Callable[[str], SamplePolicy], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.policy_of = policy_of
        self._clock = clock
        self._types: dict[str, _TypeCounter] = {}
        self._minute_ends = 0.0

    def renew_minute(self) -> None:
        """Begin a new minute when it is time, once for each batch: its first are taken again."""
        now = self._clock()
        if now >= self._minute_ends:
            self._minute_ends = now + MINUTE
            for counter in self._types.values():
                counter.first = FIRST

    def take(self, event_type: str) -> SampleChoice | None:
        """Return how this success is kept; None for nearly all of them."""
        counter = self._types.get(event_type)
        if counter is None:
            counter = self._begin(event_type)
        counter.since += 1
        counter.until_next -= 1
        if counter.until_next > 0 and counter.first <= 0:
            return None
        return self._take_sample(event_type, counter)

    def redraw_gaps(self) -> None:
        """Draw each type's next gap anew, for its policy was read again."""
        for event_type, counter in self._types.items():
            counter.until_next = _gap(self.policy_of(event_type).one_in)

    def _begin(self, event_type: str) -> _TypeCounter:
        counter = self._types[event_type] = _TypeCounter(until_next=_gap(self.policy_of(event_type).one_in))
        return counter

    def _take_sample(self, event_type: str, counter: _TypeCounter) -> SampleChoice | None:
        one_in = self.policy_of(event_type).one_in
        if not one_in:
            counter.since, counter.until_next, counter.first = 0, _ASK_AGAIN, 0
            return None
        by_rate = counter.until_next <= 0
        if by_rate:
            counter.until_next = _gap(one_in)
        else:
            counter.first -= 1
        sample = SampleChoice(by_rate, counter.since)
        counter.since = 0
        return sample


def _gap(one_in: int) -> int:
    """Draw the events until the next sample, so that each has the same chance whatever went before."""
    if one_in <= 1:
        return 1
    return int(log(1.0 - random()) / log(1.0 - 1.0 / one_in)) + 1  # noqa: S311


def sample_of(payload: str | None, raw: bytes | None, masker: Masker | None) -> InputSample | None:
    """An input as it is stored; None where it is too large. Without a masker it is stored as it came."""
    if len(payload if payload is not None else raw or b"") > LARGEST:
        return None
    if payload is not None:
        text = masker.json(payload) if masker else payload
        return InputSample(text, None, text != payload) if text == payload or _is_json(text) else None
    content = raw or b""
    if masker is None:
        return InputSample(None, content, False)
    masked_content = masker.json(content.decode("utf-8", "replace")).encode("utf-8", "replace")
    return InputSample(None, masked_content, masked_content != content)


def _is_json(text: str) -> bool:
    """A sample that the database refuses would take its event along."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
