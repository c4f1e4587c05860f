"""Pauses for messages that a consumer has no handler for, and their counts.

The messages stay where they are, as they were, and come due again by themselves. A new process remembers
nothing and begins with the shortest pause.
"""

import time
from collections import Counter
from collections.abc import Iterable

from dlqconsole.core.messages.leases import FIRST_PAUSE

# From one look at a message to the next: as long as its type has been met here for, within these.
LONGEST_PAUSE = 60.0
# With many waiting messages the pause is longer: a consumer must not spend its time putting back.
MOST_A_SECOND = 200
# A message that is due again is met within so many seconds, or somebody else has taken it.
MET_WITHIN = 15.0
MOST_KEPT, MOST_TYPES = 100_000, 100


class UnhandledBackoff:
    """The messages of one queue that one consumer has put back. One thread's."""

    def __init__(self) -> None:
        self._first_met: dict[str, float] = {}
        # by id, the last put back last: the event type, and until when it is left alone
        self._waiting: dict[str, tuple[str, float]] = {}

    def has_met(self, event_type: str) -> bool:
        """Tell whether the type was met before."""
        return event_type in self._first_met

    def pause(self, event_type: str, *, handled_elsewhere: bool) -> float:
        """Return for how many seconds to put messages of that type back now.

        ``handled_elsewhere``: another consumer has the handler, and only has to get hold of them.
        """
        now = time.monotonic()
        if len(self._first_met) >= MOST_TYPES and event_type not in self._first_met:
            self._first_met.clear()
        met_for = now - self._first_met.setdefault(event_type, now)
        seconds = FIRST_PAUSE if handled_elsewhere else min(max(met_for, FIRST_PAUSE), LONGEST_PAUSE)
        return max(seconds, len(self._waiting) / MOST_A_SECOND)

    def note(self, ids: Iterable[str], event_type: str, seconds: float) -> None:
        """Note messages that were put back now."""
        until = time.monotonic() + seconds
        for message_id in ids:
            self._waiting.pop(message_id, None)
            self._waiting[message_id] = (event_type, until)
        while len(self._waiting) > MOST_KEPT:
            del self._waiting[next(iter(self._waiting))]

    def waiting(self) -> dict[str, int]:
        """Count the waiting messages by event type, as far as this consumer knows; the most frequent ones."""
        now = time.monotonic()
        for message_id in [one for one, (_type, until) in self._waiting.items() if until + MET_WITHIN < now]:
            del self._waiting[message_id]
        return dict(
            Counter(event_type for event_type, _until in self._waiting.values()).most_common(MOST_TYPES)
        )
