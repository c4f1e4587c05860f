"""Turns: the queues of one consumer share its work by weight, and a slow one delays no other."""

import time
from collections.abc import Iterator, Sequence

from dlqconsole.consuming.execution import Execution, HandlerEnd
from dlqconsole.consuming.queue_session import QueueSession
from dlqconsole.core.handling import Unhandled

# A message that takes longer, in seconds, counts once for each time that it does.
UNIT = 0.1

# Of handlers as quick as this the next batch is claimed while one is in work: nothing waits long behind them.
QUICK_SECONDS = 0.002


class Turns:
    """Gives each queue as many messages a round as its weight says.

    For what a slow message takes too much its queue waits, while others have any. A queue alone has no turns.
    """

    def __init__(self, sessions: Sequence[QueueSession], batch: int) -> None:
        self._sessions = sessions
        self._batch = batch
        self._shares = len(sessions) > 1
        self._messages = max(1, batch // max((session.weight for session in sessions), default=1))

    def round(self) -> Iterator[QueueSession]:
        """Yield each queue whose turn it is; again and again one that cannot claim all of it at once."""
        for session in self._sessions:
            share = session.weight * self._messages
            session.credit = min(session.credit + share, share) if self._shares else share
            while session.credit > 0:
                credit = session.credit
                yield session
                has_all = session.source.leases_per_message and share <= self._batch
                if has_all or session.credit == credit or not self._shares:
                    break

    def limit(self, session: QueueSession) -> int:
        """Return how many messages to claim: what its turn has time for, if all are as slow as the last."""
        return min(self._batch, max(1, int(session.credit / session.cost))) if self._shares else self._batch

    def is_over(self, session: QueueSession, seconds: float) -> bool:
        """Tell whether so many seconds are all of its turn."""
        return self._shares and seconds / UNIT >= session.credit

    def charge(self, session: QueueSession, messages: int, seconds: float) -> None:
        """Note what a queue has had."""
        if messages:
            session.cost = max(1.0, seconds / UNIT / messages)
            session.credit -= max(messages / session.width, seconds / UNIT)

    def forgive(self) -> bool:
        """Let those go on that would wait for others: these have nothing. Tell whether there are any."""
        waiting = [session for session in self._sessions if session.credit <= 0]
        for session in waiting:
            session.credit = 0
        return bool(waiting)


class WorkLimit:
    """The most messages in work: more while handlers have been quick lately, and every message had one."""

    def __init__(self, execution: Execution, batch: int, concurrency: int) -> None:
        self._execution, self._batch, self._concurrency = execution, batch, concurrency
        self._is_quick = False
        # when the last one ended, or the first began
        self._last_end = 0.0

    def note_begin(self) -> None:
        """Note that handlers begin."""
        if not self._execution.running:
            self._last_end = time.monotonic()

    def note_ends(self, ended: Sequence[HandlerEnd]) -> None:
        """Note that these have ended."""
        if ended:
            now = time.monotonic()
            have_handlers = all(one.result and not isinstance(one.result.outcome, Unhandled) for one in ended)
            self._is_quick = have_handlers and now - self._last_end < QUICK_SECONDS * len(ended)
            self._last_end = now

    def most_running(self, session: QueueSession) -> int:
        """Return the number of messages in work from which no more are claimed or begun."""
        if not self._execution.apart or not session.source.leases_per_message:
            return 1  # a lease that a batch shares is for one message at a time
        return max(self._concurrency, self._batch if self._is_quick and session.width == 1 else 1)
