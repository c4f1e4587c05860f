"""Whose turn it is: the queues of one consumer share its work by weight, and a slow one delays no other."""

from collections.abc import Iterator, Sequence

from dlqconsole.consuming.queue_session import QueueSession

# A message that takes longer, in seconds, counts once for each time that it does.
UNIT = 0.1


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
