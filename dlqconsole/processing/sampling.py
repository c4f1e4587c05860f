"""Which successful events are kept as samples: decided in place, for a third of a microsecond an event.

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

# so many of a type are taken in a minute by each process, whatever its rate
FIRST = 10
MINUTE = 60.0
# characters or bytes; larger payloads are not kept as samples
LARGEST = 65_536
# a type that is switched off is asked about again after so many events
_ASK_AGAIN = 1_000


@dataclass(frozen=True, slots=True)
class SamplePolicy:
    """How a type is sampled: one event in ``one_in`` (0: none at all), stored masked or as it came."""

    one_in: int = 200
    masked: bool = True

    def but(self, one_in: int | None, masked: bool | None) -> "SamplePolicy":
        """The same with what somebody has said of a type; None: nothing."""
        return SamplePolicy(
            self.one_in if one_in is None else one_in, self.masked if masked is None else masked
        )


@dataclass(frozen=True, slots=True)
class Sampling:
    """What the settings say: the usual policy, and further keys whose values are masked."""

    usual: SamplePolicy
    masked_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Taken:
    """An event that becomes a sample. ``stands_for``: it, and those of its type since the last sample."""

    by_rate: bool
    stands_for: int


@dataclass(frozen=True, slots=True)
class Sample:
    """What is stored of an input: JSON text, or bytes that JSONB cannot hold. ``masked``: not as it came."""

    payload: str | None
    payload_raw: bytes | None
    masked: bool


@dataclass(slots=True)
class _Counted:
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
        self._types: dict[str, _Counted] = {}
        self._minute_ends = 0.0

    def look_at_the_clock(self) -> None:
        """Once for each batch: with a new minute its first are taken again."""
        now = self._clock()
        if now >= self._minute_ends:
            self._minute_ends = now + MINUTE
            for counted in self._types.values():
                counted.first = FIRST

    def take(self, event_type: str) -> Taken | None:
        """Whether this success is kept; None for nearly all of them."""
        counted = self._types.get(event_type)
        if counted is None:
            counted = self._begin(event_type)
        counted.since += 1
        counted.until_next -= 1
        if counted.until_next > 0 and counted.first <= 0:
            return None
        return self._taken(event_type, counted)

    def draw_anew(self) -> None:
        """The policies were read again: each type's next gap is drawn by what they say now."""
        for event_type, counted in self._types.items():
            counted.until_next = _gap(self.policy_of(event_type).one_in)

    def _begin(self, event_type: str) -> _Counted:
        counted = self._types[event_type] = _Counted(until_next=_gap(self.policy_of(event_type).one_in))
        return counted

    def _taken(self, event_type: str, counted: _Counted) -> Taken | None:
        one_in = self.policy_of(event_type).one_in
        if not one_in:
            counted.since, counted.until_next, counted.first = 0, _ASK_AGAIN, 0
            return None
        by_rate = counted.until_next <= 0
        if by_rate:
            counted.until_next = _gap(one_in)
        else:
            counted.first -= 1
        taken = Taken(by_rate, counted.since)
        counted.since = 0
        return taken


def _gap(one_in: int) -> int:
    """How many events until the next sample, so that each has the same chance whatever went before."""
    if one_in <= 1:
        return 1
    return int(log(1.0 - random()) / log(1.0 - 1.0 / one_in)) + 1  # noqa: S311


def sample_of(payload: str | None, raw: bytes | None, masker: Masker | None) -> Sample | None:
    """An input as it is stored; None where it is too large. Without a masker it is stored as it came."""
    if len(payload if payload is not None else raw or b"") > LARGEST:
        return None
    if payload is not None:
        stored = masker.json(payload) if masker else payload
        return Sample(stored, None, stored != payload) if stored == payload or _is_json(stored) else None
    kept = raw or b""
    if masker is None:
        return Sample(None, kept, False)
    hidden = masker.json(kept.decode("utf-8", "replace")).encode("utf-8", "replace")
    return Sample(None, hidden, hidden != kept)


def _is_json(text: str) -> bool:
    """A sample that the database refuses would take its event along."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
