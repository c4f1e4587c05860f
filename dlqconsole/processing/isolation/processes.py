"""Calls in processes of their own: what one does to its process harms no other."""

import contextlib
import os
import select
import signal
import socket
import time
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count
from typing import Any

from . import deaths
from .channel import (
    ANSWERED,
    DIED,
    DOUBTFUL,
    ENDED,
    FORKED,
    LAST,
    RETURNED,
    START_SECONDS,
    Frame,
    ProcessLimits,
    Setup,
    unpickle_body,
)
from .deaths import Death
from .process import NEVER, Call, Process, open_notes
from .starter import Starter, TemplateEnded
from .usage import resident_bytes

# Between two looks at a process's memory; and at the answers that it has not sent, where it has more to do.
LOOK_SECONDS, PEEK_SECONDS = 1.0, 0.1
# Between asking a process where it is (SIGABRT) and killing it; and what a death may need to be heard of.
ABORT_SECONDS = 0.3
REAP_SECONDS = 10.0
# Calls that ``run_all`` gives to a process at once.
MOST = 25


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of one call: the function's value, or its death. Not ``begun``: it may be given again."""

    key: Any
    value: Any
    death: Death | None = None
    begun: bool = True


class HandlerProcesses(AbstractContextManager["HandlerProcesses"]):
    """At most ``size`` processes that call ``entry`` (`package.module:function` of one argument).

    A process that is given several calls runs them in their order, as many at once as ``limits`` says. If it
    dies, what it had not begun goes to another one, or comes back. Of several that it had begun nobody knows
    which has ended it, so each is run again, alone. An entry may return a coroutine, a Joint, and a
    Halt.

    ``prepare`` names a function that is called once, before the processes are made: what it loads is theirs.
    It must leave no thread running and no connection open. Processes are made when they are needed, and end
    with this one. One thread's, and no fork's. ``fork``: nothing is open here, so that the processes may come
    of a fork of this one, where that has one thread only. ``environment`` is theirs beside this one's, and
    modules are looked for in ``folders`` before anywhere else.

    Raises SetupError when ``entry`` cannot be imported.
    """

    def __init__(
        self,
        entry: str,
        size: int = 1,
        limits: ProcessLimits | None = None,
        prepare: str = "",
        *,
        fork: bool = False,
        environment: Mapping[str, str] | None = None,
        folders: Sequence[str] = (),
    ) -> None:
        self.size, self.limits = size, limits or ProcessLimits()
        self._work = Setup(entry, prepare, self.limits, environment=environment or {}, folders=tuple(folders))
        self._owner = os.getpid()
        self._numbers = count(1)
        self._by_number: dict[int, Process] = {}
        self._by_channel: dict[int, Process] = {}
        # calls that ran together when their process ended: one of them has ended it, and each runs alone now
        self._suspects: list[Call] = []
        # calls that their process had not begun when it ended
        self._waiting: deque[Call] = deque()
        self._recalled = False
        self._results: list[CallResult] = []
        self._look_at = NEVER
        self._poll = select.poll()
        self._start(fork)

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def idle(self) -> int:
        """The number of processes that can be given a call to run now."""
        if self._suspects or self._waiting:
            return 0
        return max(self.size - sum(1 for process in self._by_number.values() if process.calls), 0)

    @property
    def running(self) -> list[Hashable]:
        """The keys of what was given and has no result yet."""
        given = [call.key for process in self._by_number.values() for call in process.calls.values()]
        return given + [call.key for call in (*self._suspects, *self._waiting)]

    def run(self, key: Hashable, argument: Any, seconds: float) -> CallResult:
        """Run one call and wait for its end, while nothing else runs. Raises as ``begin`` does."""
        self.begin(key, argument, seconds)
        while not (results := self.finished(60.0)):
            pass
        return results[0]

    def run_all(
        self, arguments: Sequence[Any], seconds: float | Sequence[float], most: int = MOST
    ) -> Iterator[CallResult]:
        """Run calls while nothing else runs, ``most`` at once; yield the result of each, in their order.

        ``seconds``: of each, or of all.
        """
        for first in range(0, len(arguments), most):
            some = arguments[first : first + most]
            times = seconds[first:] if isinstance(seconds, Sequence) else [seconds] * len(some)
            self.begin_all(
                [Call(number, *call) for number, call in enumerate(zip(some, times, strict=False))]
            )
            results: dict[int, CallResult] = {}
            for number in range(len(some)):
                while number not in results:
                    results |= {result.key: result for result in self.finished(60.0)}
                yield results[number]

    def begin(self, key: Hashable, argument: Any, seconds: float) -> None:
        """Run one call with this argument in an idle process; it is over after ``seconds``.

        ``key`` names it among those that run. Raises ValueError when nothing is idle, and what pickling the
        argument raises.
        """
        if not self.idle:
            raise ValueError(f"all {self.size} processes are busy")
        self.begin_all([Call(key, argument, seconds)])

    def begin_all(self, calls: Sequence[Call]) -> None:
        """Give these calls to the process that has the least to do, in one write."""
        self._recalled = False
        if calls and (self._suspects or self._waiting):
            self._waiting.extend(calls)
        elif calls:
            self._give(calls)

    def recall(self) -> None:
        """Take back what has not begun: it comes with the results. A signal's handler may call this."""
        self._recalled = True
        for process in list(self._by_number.values()):
            with contextlib.suppress(ValueError):  # it is just being closed
                process.recall()

    def finished(self, timeout: float) -> list[CallResult]:
        """Return the calls that have finished, in any order; wait at most ``timeout`` seconds for one.

        A call that takes longer than its time is killed in here: call this again soon while anything
        runs. Empty at once when nothing does.
        """
        until = time.monotonic() + timeout
        while self._has_calls():
            self._give_what_waits()
            now = time.monotonic()
            self._wait(0.0 if self._results else max(0.0, min(until, self._look_at) - now))
            now = time.monotonic()
            if now >= self._look_at:
                self._look_after(now)
            if self._results or now >= until:
                break
        results, self._results = self._results, []
        return results

    def descriptors(self) -> list[int]:
        """Return the file numbers that are readable when there is something for ``finished``."""
        return [self._starter.fileno(), *self._by_channel]

    def close(self) -> None:
        """End all processes, whatever they do."""
        for process in list(self._by_number.values()):
            self._forget(process)
        if os.getpid() == self._owner:
            self._starter.close()
        else:
            self._starter.forget()

    def _start(self, fork: bool = False) -> None:
        self._starter = Starter(self._work, fork)
        self._poll.register(self._starter.fileno(), select.POLLIN)

    def _has_calls(self) -> bool:
        return bool(self._suspects or self._waiting) or self._is_running()

    def _is_running(self) -> bool:
        return any(process.calls for process in self._by_number.values())

    def _make(self) -> Process:
        ours, theirs = socket.socketpair()
        process = Process(next(self._numbers), ours, open_notes(self.limits.slots), self.limits)
        with theirs:
            try:
                self._starter.fork(process.number, theirs.fileno(), process.notes)
            except TemplateEnded:
                self._start_again()
                self._starter.fork(process.number, theirs.fileno(), process.notes)
        self._by_number[process.number] = process
        self._by_channel[ours.fileno()] = process
        self._poll.register(ours.fileno(), select.POLLIN)
        return process

    def _give(self, calls: Sequence[Call]) -> None:
        while (process := self._choose()) is not None:
            with contextlib.suppress(OSError):
                return self._give_to(process, calls)
            process.silent = True
            if process.calls:  # it ends of one of those
                self._expect_end(process)
            else:  # it has ended since its last call
                self._forget(process)
        try:
            self._give_to(self._make(), calls)
        except OSError:
            self._start_again()
            self._give_to(self._make(), calls)

    def _choose(self) -> Process | None:
        """Return the process with the fewest calls; None where another one is to be made."""
        there = [one for one in self._by_number.values() if not (one.retires or one.step or one.silent)]
        best = min(there, key=lambda process: len(process.calls), default=None)
        if best is not None and best.calls and len(there) < self.size:
            return None
        return best

    def _give_to(self, process: Process, calls: Sequence[Call]) -> None:
        had_calls = bool(process.calls)
        process.give(calls)
        if process.takes_more:
            self._poll.modify(process.channel.fileno(), select.POLLIN | select.POLLOUT)
        if not had_calls:
            # one that is still being made has its time from when it is there
            process.act_at = process.patience() if process.pid else process.news_at + START_SECONDS
        self._look_at = min(self._look_at, process.act_at, time.monotonic() + self._pause(process))

    def _pause(self, process: Process) -> float:
        return PEEK_SECONDS if len(process.calls) > 1 else LOOK_SECONDS

    def _give_what_waits(self) -> None:
        """Give the next suspect once nothing else runs, and what waits once there is no suspect."""
        if self._suspects:
            if not self._is_running():
                self._give([self._suspects.pop()])
        elif self._waiting:
            calls = list(self._waiting)
            self._waiting.clear()
            if self._recalled:
                self._results += [CallResult(call.key, None, begun=False) for call in calls]
            else:
                self._give(calls)

    def _wait(self, seconds: float) -> None:
        news = False
        for descriptor, event in self._poll.poll(seconds * 1000 + 1 if seconds else 0):
            process = self._by_channel.get(descriptor)
            if process is None:
                news = True
                continue
            if event & select.POLLOUT:
                self._send_more(process)
            if event != select.POLLOUT:
                self._hear(process)
        if news:  # after the answers: who has answered and ended has not died of it
            self._hear_of_ends()

    def _send_more(self, process: Process) -> None:
        with contextlib.suppress(OSError):  # it has ended: its channel says so as well
            process.send()
        if not process.takes_more:
            self._poll.modify(process.channel.fileno(), select.POLLIN)

    def _hear(self, process: Process, *, to_the_end: bool = False) -> None:
        try:
            for frame in process.answers(to_the_end=to_the_end):
                self._take(process, frame)
        except Exception:  # not what our side writes: the handler has written into the channel
            self._disown(process)
            return
        if process.silent and process.number in self._by_number:
            self._expect_end(process)

    def _take(self, process: Process, frame: Frame) -> None:
        """Take one answer of a process. Raises for what is none."""
        kind, number, body = frame
        answer = kind & ~LAST
        process.news_at = time.monotonic()
        if answer == RETURNED:
            self._put_aside([process.calls.pop(number) for number in unpickle_body(body)])
        elif answer == DOUBTFUL:
            self._suspects.append(process.calls.pop(int(number)))
        elif answer in (ANSWERED, DIED):
            value = unpickle_body(body)
            key, is_death = process.calls.pop(int(number)).key, answer == DIED
            self._results.append(CallResult(key, None if is_death else value, value if is_death else None))
        else:
            raise ValueError("this is no answer of ours")
        if kind & LAST:
            self._put_aside(process.calls.values())
            process.calls.clear()
        if not process.calls:
            process.act_at = NEVER
            if kind & LAST or process.retires:
                self._forget(process)

    def _put_aside(self, calls: Iterable[Call]) -> None:
        """Give back calls that their process has not begun, or keep them for another one."""
        for call in calls:
            if call.comes_back:
                self._results.append(CallResult(call.key, None, begun=False))
            else:
                self._waiting.append(call)

    def _disown(self, process: Process) -> None:
        self._starter.kill(process.number, signal.SIGKILL)
        if process.number in self._by_number:
            self._bury(process, deaths.CHANNEL_MISUSED)

    def _expect_end(self, process: Process) -> None:
        """Wait for the end of a process that cannot answer any more, or have it ended."""
        self._ignore(process)
        process.act_at = time.monotonic() + LOOK_SECONDS
        self._look_at = min(self._look_at, process.act_at)

    def _hear_of_ends(self) -> None:
        try:
            for kind, value in self._starter.news():
                number, what = value
                process = self._by_number.get(number)
                if process is not None and kind == FORKED:
                    self._note_start(process, what)
                elif process is not None and kind == ENDED:
                    self._note_end(process, what)
        except TemplateEnded:
            self._start_again()

    def _note_start(self, process: Process, pid: int) -> None:
        process.pid, process.resident_at_first = pid, resident_bytes(pid)
        if process.calls and not process.step:
            process.news_at = time.monotonic()
            process.act_at = process.patience()
            self._look_at = min(self._look_at, process.act_at)

    def _note_end(self, process: Process, status: int) -> None:
        if process.calls:
            self._hear(process, to_the_end=True)  # its last answers may have come since we looked
        if process.number in self._by_number:
            self._bury(process, process.cause_of_end(status))

    def _bury(self, process: Process, death: Death) -> None:
        """Put the death down to whom it was, and have the others run again."""
        self._peek(process)
        begun = {number: process.calls[number] for number in process.begun()}
        rest = [call for number, call in process.calls.items() if number not in begun]
        if not begun and rest:  # it died on its way to the first
            begun, rest = {0: rest[0]}, rest[1:]
        culprits, suspects = self._blame(process, begun)
        self._results += [CallResult(call.key, None, death) for call in culprits]
        self._suspects += suspects
        known = {id(call) for call in (*culprits, *suspects)}
        self._put_aside(call for call in (*begun.values(), *rest) if id(call) not in known)
        process.calls.clear()
        self._forget(process)

    def _blame(self, process: Process, begun: Mapping[int, Call]) -> tuple[list[Call], list[Call]]:
        """Return the calls that have ended their process, and those of which one has.

        A thread that is overdue hangs by itself; a task may wait for another that blocks their loop.
        """
        blamed = {number: call for number, call in begun.items() if number in process.overdue} or dict(begun)
        if len(blamed) == 1:
            return list(blamed.values()), []
        slots = process.begun() if process.overdue else {}
        hung = [number for number in blamed if number in slots and slots[number][0] < self.limits.threads]
        return [blamed[number] for number in hung], [
            call for number, call in blamed.items() if number not in hung
        ]

    def _peek(self, process: Process) -> None:
        """Take the answers that a process has not sent: it may run something else for long, or be dead."""
        with contextlib.suppress(Exception):  # a handler has written there
            for kind, number, body in process.waiting_answers():
                self._take(process, (kind & ~LAST, number, body))

    def _look_after(self, now: float) -> None:
        """Kill what is overdue, or has grown too large."""
        for process in [process for process in self._by_number.values() if process.calls]:
            if process.number not in self._by_number:
                continue  # it has ended with the template
            if self.limits.memory_bytes and process.pid and not process.step:
                self._weigh(process)
            if len(process.calls) > 1:
                self._peek(process)
            if process.calls and process.pid and not (process.step or process.silent or process.greedy):
                self._set_time(process, now)
            if process.calls and now >= process.act_at:
                self._end(process, now)
        running = [process for process in self._by_number.values() if process.calls]
        pauses = [now + self._pause(process) for process in running]
        self._look_at = min((*pauses, *(process.act_at for process in running)), default=NEVER)

    def _set_time(self, process: Process, now: float) -> None:
        """Give a process with something overdue nothing more, and end it once nothing else runs in it."""
        deadlines = process.deadlines()
        process.overdue = {number: process.calls[number] for number, end in deadlines.items() if now >= end}
        if process.overdue and not process.retires:
            process.retires = True
            process.recall()
        process.act_at = max(deadlines.values()) if process.retires and deadlines else process.patience()
        if deadlines and not process.retires:
            process.act_at = min(deadlines.values())

    def _weigh(self, process: Process) -> None:
        if resident_bytes(process.pid) - process.resident_at_first > self.limits.memory_bytes:
            process.greedy, process.act_at = True, 0.0

    def _end(self, process: Process, now: float) -> None:
        process.step += 1
        if not (process.overdue or process.silent or process.greedy):
            number = next(iter(process.calls))
            process.overdue = {number: process.calls[number]}  # it should have begun
        if not process.pid:
            self._bury(process, deaths.not_started(START_SECONDS))
            self._start_again()
        elif process.step == 1:
            self._starter.kill(process.number, signal.SIGABRT)
            process.act_at = now + ABORT_SECONDS
        elif process.step == 2:
            self._starter.kill(process.number, signal.SIGKILL)
            process.act_at = now + REAP_SECONDS
        else:  # the template does not do what it is there for
            self._start_again()

    def _start_again(self) -> None:
        """Start a new template where the old one is gone or silent: its processes go with it.

        A handler may have killed it. Of one that ran alone that is known; of several each is tried alone.
        """
        self._poll.unregister(self._starter.fileno())
        self._starter.close()
        victims = [process for process in self._by_number.values() if process.calls]
        if len(victims) == 1:
            self._bury(victims.pop(), deaths.TEMPLATE_ENDED)
        for process in victims:
            self._peek(process)
            begun = process.begun()
            self._suspects += [call for number, call in process.calls.items() if number in begun]
            self._put_aside(call for number, call in process.calls.items() if number not in begun)
        for process in list(self._by_number.values()):
            self._forget(process)
        self._start()

    def _forget(self, process: Process) -> None:
        self._ignore(process)
        if self._by_number.pop(process.number, None) is not None:
            process.close()

    def _ignore(self, process: Process) -> None:
        if self._by_channel.pop(process.channel.fileno(), None) is not None:
            self._poll.unregister(process.channel.fileno())
