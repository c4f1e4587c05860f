"""The awaitables that calls returned, awaited side by side in one event loop of the process."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from queue import SimpleQueue
from typing import Any

from dlqconsole.processing.time_limit import cancel_after

from .board import Board

# awaits what was given and answers it: the call, its slot, the awaitable
type Finish = Callable[[Any, int, Awaitable[Any]], Awaitable[None]]


class Tasks:
    """At most ``most`` at once, in the slots from ``first_slot`` on. The loop's thread begins with the first.

    ``then`` is called when the loop has nothing more to run just now.
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
        self._running_loop().call_soon_threadsafe(self._begin, call, seconds, slot, awaitable)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="handlers", daemon=True).start()
            return self._loop

    def _begin(self, call: Any, seconds: float, slot: int, awaitable: Awaitable[Any]) -> None:
        task = asyncio.ensure_future(self._run(call, seconds, slot, awaitable))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, call: Any, seconds: float, slot: int, awaitable: Awaitable[Any]) -> None:
        with cancel_after(seconds):
            await self._finish(call, slot, awaitable)
        self._free.put(slot)
        asyncio.get_running_loop().call_soon(self._then)
