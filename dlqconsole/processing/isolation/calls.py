"""The calls that a process was given: each is taken, run and answered."""

import os
import socket
import threading
import time
from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from types import CoroutineType
from typing import Any, Protocol

from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.stacktraces import message_of, stacktrace
from dlqconsole.processing.texts import one_line
from dlqconsole.processing.time_limit import HandlerTimeout, why_cancelled

from .board import Board
from .channel import (
    ANSWERED,
    DIED,
    DOUBTFUL,
    LAST,
    RETURNED,
    CallBody,
    Frame,
    ProcessLimits,
    frame_bytes,
    pickle_body,
    unpickle_body,
)
from .deaths import UNANSWERED, Death, out_of_memory
from .gathering import Gathering, Halt, Joint
from .output import Outlet
from .tasks import Tasks
from .usage import Growth, LeftoverChecks, Leftovers

LONGEST_SAID = 4_000
# answers of quick calls are sent together
GATHER_SECONDS = 0.002

type Entry = Callable[[Any], Any]


class Limit(Protocol):
    """Ends what takes too long: see ``time_limit``."""

    def run[T](self, seconds: float, function: Callable[[], T]) -> T:
        """Return the function's result, or raise HandlerTimeout in it."""
        ...


@dataclass(slots=True)
class GivenCall:
    """A call as it came."""

    number: int
    seconds: float
    begin_by: float
    argument: Any
    begun_at: float = 0.0


class Calls:
    """``run_next`` is for as many threads as there are slots, each with its own slot.

    ``has_ended``: this process has sent its last answer.
    """

    def __init__(
        self, channel: socket.socket, board: Board, entry: Entry, limits: ProcessLimits, outlet: Outlet
    ) -> None:
        self._channel, self._board, self._entry, self._limits = channel, board, entry, limits
        self._outlet = outlet
        self._waiting: SimpleQueue[GivenCall] = SimpleQueue()
        self._checks, self._growth = LeftoverChecks(), Growth(limits.memory_bytes // 2)
        self._leftovers = Leftovers()
        self._tasks = Tasks(limits.tasks, limits.threads, board, self._finish_task, self.send_answers)
        self._gathering: Gathering[GivenCall] = Gathering(limits.together)
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._running = 0
        self._send_at = 0.0
        self._retires = False
        self.has_ended = False

    def put(self, frames: Iterable[Frame]) -> None:
        """Take the calls of these frames."""
        for _kind, number, body in frames:
            content: CallBody = unpickle_body(body)
            self._waiting.put(GivenCall(int(number), *content))

    def run_next(self, slot: int, limit: Limit, *, wait: bool = False) -> bool:
        """Run the next call; False where there is none."""
        try:
            call = self._waiting.get(wait)
        except Empty:
            return False
        self._run(call, slot, limit)
        while together := self._gathering.take(rest=self._waiting.empty()):
            self._run_together(together, limit)
            self._gathering.leave()
        return True

    def _run(self, call: GivenCall, slot: int, limit: Limit) -> None:
        now = time.monotonic()
        if not self._may_begin(call, now):
            return
        with self._lock:
            self._running += 1
        call.begun_at = now
        self._board.begin(slot, call.number, now)
        self._outlet.begin()
        kind, value = self._answer(call.seconds, limit, lambda: self._entry(call.argument))
        if isinstance(value, CoroutineType | Joint):
            self._board.end(slot)  # it begins when there is room, or when the others are there
        if isinstance(value, CoroutineType):
            self._begin_task(call, value)
        elif isinstance(value, Joint):
            self._gathering.add(call, value)
        else:
            self._finish(call, slot, kind, value)

    def _run_together(self, together: Sequence[tuple[GivenCall, Joint]], limit: Limit) -> None:
        now = time.monotonic()
        ready: list[tuple[GivenCall, Joint, int]] = []
        for call, joint in together:
            if self._may_begin(call, now):
                slot = self._limits.slots - self._limits.together + len(ready)
                call.begun_at = now
                self._board.begin(slot, call.number, now)
                ready.append((call, joint, slot))
            else:
                self._drop()
        if not ready:
            return
        run, items = ready[0][1].run, [joint.item for _call, joint, _slot in ready]
        kind, value = self._answer(ready[0][0].seconds, limit, lambda: run(items))
        if kind & LAST and len(ready) > 1:  # it need not be the same one's doing in all of them
            kind, value = DOUBTFUL | LAST, None
        values = value if kind == ANSWERED else [value] * len(ready)
        for (call, _joint, slot), one in zip(ready, values, strict=True):
            more = True if call is not ready[-1][0] else None
            self._finish(call, slot, kind, one, more=more, alone=len(ready) == 1)

    def _may_begin(self, call: GivenCall, now: float) -> bool:
        """Tell whether a call may begin; give it back if it may not."""
        if self._retires:
            return False  # the parent gives it to another process when this one has ended
        if now <= call.begin_by and call.number > self._board.recalled():
            return True
        with self._lock:
            self._give_back([call])
        return False

    def _begin_task(self, call: GivenCall, coroutine: CoroutineType[Any, Any, Any]) -> None:
        slot = self._tasks.wait_for_room()
        if self._may_begin(call, time.monotonic()):
            self._tasks.begin(slot, call, call.number, call.seconds, coroutine)
            return
        coroutine.close()
        self._tasks.leave(slot)
        self._drop()

    def _drop(self) -> None:
        """Forget a call that does not begin."""
        with self._lock:
            self._running -= 1
            if self._retires and not self._running:
                self.has_ended = True
                self._give_back([], LAST)

    @property
    def are_there(self) -> bool:
        """Tell whether any runs or waits."""
        return self._running > 0 or not self._waiting.empty()

    def send_answers(self) -> None:
        """Send the answers that wait."""
        with self._lock:
            self._send_answers()

    def _answer(self, seconds: float, limit: Limit, function: Callable[[], Any]) -> tuple[int, Any]:
        try:
            return ANSWERED, limit.run(seconds, function)
        except BaseException as error:
            return self._failure(error)

    async def _finish_task(self, call: GivenCall, slot: int, awaitable: Awaitable[Any]) -> None:
        try:
            kind, value = ANSWERED, await awaitable
        except BaseException as error:
            kind, value = self._failure(error)
        self._finish(call, slot, kind, value, more=True)

    def _finish(
        self,
        call: GivenCall,
        slot: int,
        kind: int,
        value: Any,
        *,
        more: bool | None = None,
        alone: bool = True,
    ) -> None:
        if os.getpid() != self._pid:  # a handler has forked, and this is its child: nothing here is its own
            os._exit(0)
        is_in_turn, is_looked_at = self._is_in_turn, self._checks.is_due(call.begun_at)
        self._outlet.end(alone=is_in_turn and is_looked_at)
        halt = value if isinstance(value, Halt) else None
        kind, body = _body(kind, halt.value if halt else value)
        # its leftovers could end this process during the next call, which would be blamed
        retires = bool(kind & LAST) or (is_looked_at and self._growth.is_too_much())
        retires = retires or (is_in_turn and self._leftovers.are_there(with_care=is_looked_at))
        with self._lock:
            self._running -= 1
            self._retires = self._retires or retires
            self.has_ended = self._retires and not self._running
            if halt and halt.doubtful and (self._running or not alone):
                kind, body = DOUBTFUL, b""
            kind = kind & ~LAST | (LAST if self.has_ended else 0)
            self._add(frame_bytes(kind, call.number, body))
            self._board.end(slot)
            if halt and not self._retires:
                self._give_back_waiting()
            # else it is sent soon: after the next call, or by the thread that looks after all of them
            if more is None:
                more = self._running > 0 if self._limits.threads > 1 else not self._waiting.empty()
            if not more or self.has_ended or time.monotonic() > self._send_at:
                self._send_answers()

    @property
    def _is_in_turn(self) -> bool:
        """Tell whether one call runs after the other: of several nobody knows which has left something."""
        return self._limits.threads == 1 and not self._tasks.have_begun

    def _failure(self, error: BaseException) -> tuple[int, Any]:
        trace = stacktrace(error)
        match error:
            case HandlerTimeout():
                return DIED, Death(_words_of(error), error.category, trace, fatal=False)
            case CancelledError() if isinstance(cause := why_cancelled(error), HandlerTimeout):
                return DIED, Death(_words_of(cause), cause.category, trace, fatal=False)
            case MemoryError():
                return DIED | LAST, Halt(out_of_memory(self._limits.memory_bytes, trace), doubtful=True)
            case SystemExit() | KeyboardInterrupt() | GeneratorExit():
                return DIED | LAST, Death(f"HandlerDied: it raised {_words_of(error)}", UNKNOWN, trace)
        return DIED, Death(_words_of(error), UNKNOWN, trace, fatal=False)

    def _give_back_waiting(self) -> None:
        calls = []
        while not self._waiting.empty():
            try:
                calls.append(self._waiting.get_nowait())
            except Empty:  # another thread was faster
                break
        gathered = self._gathering.clear()
        self._running -= len(gathered)
        if calls or gathered:
            self._give_back(calls + gathered)

    def _give_back(self, calls: list[GivenCall], last: int = 0) -> None:
        self._add(frame_bytes(RETURNED | last, 0, pickle_body([call.number for call in calls])))
        self._send_answers()

    def _add(self, frame: bytes) -> None:
        if not self._board.unsent_bytes:
            self._send_at = time.monotonic() + GATHER_SECONDS
        if self._board.add(frame):
            return
        self._send_answers()
        if not self._board.add(frame):
            self._send(frame)

    def _send_answers(self) -> None:
        if self._board.unsent_bytes:
            self._send(self._board.unsent())
            self._board.forget()

    def _send(self, data: bytes) -> None:
        try:
            self._channel.sendall(data)
        except OSError:
            os._exit(UNANSWERED)


def _body(kind: int, value: Any) -> tuple[int, bytes]:
    try:
        return kind, pickle_body(value)
    except Exception as error:
        death = Death(f"UnusableRecord: it cannot be sent: {_words_of(error)}", fatal=False)
        return DIED, pickle_body(death)


def _words_of(error: BaseException) -> str:
    return one_line(f"{type(error).__name__}: {message_of(error)}".removesuffix(": "), LONGEST_SAID)
