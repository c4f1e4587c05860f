"""What a consumer has no handler for: how long it leaves that alone, and how much of it there is.

The messages stay where they are, as they were, and come due again by themselves. Nothing is remembered beyond
this process: who starts anew begins with the shortest pause.
"""

import time
from collections import Counter
from collections.abc import Iterable

# From one look at a message to the next: as long as its type has been met here for, within these.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
# Where many wait the pause is longer still: putting back must not be all that a consumer does.
MOST_A_SECOND = 200
# What is due again is met again within so many seconds, or somebody else has taken it.
MET_WITHIN = 15.0
MOST_KEPT, MOST_TYPES = 100_000, 100


class PutBacks:
    """The messages of one queue that one consumer has put back. One thread's."""

    def __init__(self) -> None:
        self._first_met: dict[str, float] = {}
        # by id, the last put back last: the event type, and until when it is left alone
        self._waiting: dict[str, tuple[str, float]] = {}

    def has_met(self, event_type: str) -> bool:
        """Whether the type was met before."""
        return event_type in self._first_met

    def pause(self, event_type: str, *, handled_elsewhere: bool) -> float:
        """For how many seconds to put messages of that type back now.

        ``handled_elsewhere``: another consumer has the handler, and only has to get hold of them.
        """
        now = time.monotonic()
        if len(self._first_met) >= MOST_TYPES and event_type not in self._first_met:
            self._first_met.clear()
        met_for = now - self._first_met.setdefault(event_type, now)
        seconds = FIRST_PAUSE if handled_elsewhere else min(max(met_for, FIRST_PAUSE), LONGEST_PAUSE)
        return max(seconds, len(self._waiting) / MOST_A_SECOND)

    def note(self, ids: Iterable[str], event_type: str, seconds: float) -> None:
        """These were put back now."""
        until = time.monotonic() + seconds
        for message_id in ids:
            self._waiting.pop(message_id, None)
            self._waiting[message_id] = (event_type, until)
        while len(self._waiting) > MOST_KEPT:
            del self._waiting[next(iter(self._waiting))]

    def waiting(self) -> dict[str, int]:
        """How many wait by event type, as far as this consumer knows; the most frequent types."""
        now = time.monotonic()
        for message_id in [one for one, (_type, until) in self._waiting.items() if until + MET_WITHIN < now]:
            del self._waiting[message_id]
        return dict(
            Counter(event_type for event_type, _until in self._waiting.values()).most_common(MOST_TYPES)
        )
