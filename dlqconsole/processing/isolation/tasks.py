"""The awaitables that calls returned, awaited side by side in one event loop of the process."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from queue import SimpleQueue
from typing import Any

from dlqconsole.processing.time_limit import cancel_after

from .board import Board

# answers of tasks that end side by side are sent together
GATHER_SECONDS = 0.002

# awaits what was given and answers it: the call, its slot, the awaitable
type Finish = Callable[[Any, int, Awaitable[Any]], Awaitable[None]]


class Tasks:
    """At most ``most`` at once, in the slots from ``first_slot`` on. The loop's thread begins with the first.

    ``then`` is called soon after some have ended.
    """

    def __init__(
        self, most: int, first_slot: int, board: Board, finish: Finish, then: Callable[[], None]
    ) -> None:
        self._board, self._finish, self._then = board, finish, then
        self._free: SimpleQueue[int] = SimpleQueue()
        for slot in range(first_slot, first_slot + most):
            self._free.put(slot)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        # the loop itself holds them by weak references only
        self._tasks: set[asyncio.Task[None]] = set()
        self._beginning: deque[tuple[Any, float, int, Awaitable[Any]]] = deque()
        self._is_called = False
        self._then_comes = False

    @property
    def have_begun(self) -> bool:
        """Tell whether the loop runs."""
        return self._loop is not None

    def wait_for_room(self) -> int:
        """Wait for a slot that is free, and take it."""
        return self._free.get()

    def leave(self, slot: int) -> None:
        """Give back a slot that was taken for nothing."""
        self._free.put(slot)

    def begin(self, slot: int, call: Any, number: int, seconds: float, awaitable: Awaitable[Any]) -> None:
        """Await it, in a slot that was taken for it."""
        self._board.begin(slot, number, time.monotonic())
        self._beginning.append((call, seconds, slot, awaitable))
        if not self._is_called:  # waking the loop costs as much as a quick handler
            self._is_called = True
            self._running_loop().call_soon_threadsafe(self._begin_all)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="handlers", daemon=True).start()
            return self._loop

    def _begin_all(self) -> None:
        self._is_called = False  # what comes from here on calls again
        while self._beginning:
            task = asyncio.ensure_future(self._run(*self._beginning.popleft()))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _run(self, call: Any, seconds: float, slot: int, awaitable: Awaitable[Any]) -> None:
        with cancel_after(seconds):
            await self._finish(call, slot, awaitable)
        self._free.put(slot)
        if len(self._tasks) == 1:
            asyncio.get_running_loop().call_soon(self._then)
        elif not self._then_comes:
            self._then_comes = True
            asyncio.get_running_loop().call_later(GATHER_SECONDS, self._come_then)

    def _come_then(self) -> None:
        self._then_comes = False
        self._then()
