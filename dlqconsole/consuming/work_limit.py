"""The number of messages that a consumer may have in work, by how quick its handlers are."""

import time
from collections.abc import Sequence

from dlqconsole.consuming.execution import Ended, Execution
from dlqconsole.consuming.queue_session import QueueSession
from dlqconsole.core.handling import Unhandled

# Of handlers as quick as this the next batch is claimed while one is in work: nothing waits long behind them.
QUICK_SECONDS = 0.002


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

    def note_ends(self, ended: Sequence[Ended]) -> None:
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
