"""Calls, each in a process that runs nothing else meanwhile: what one does to its process harms no other."""

import contextlib
import os
import select
import signal
import socket
import time
from collections.abc import Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count
from typing import Any

from . import deaths
from .channel import (
    ANSWERED,
    ENDED,
    FORKED,
    LAST,
    START_SECONDS,
    ProcessLimits,
    Setup,
    frame_bytes,
    pickle_body,
    unpickle_body,
)
from .deaths import Death
from .process import NEVER, Process, open_notes
from .starter import Starter, TemplateEnded
from .usage import resident_bytes

LOOK_SECONDS = 1.0
# Between asking a process where it is (SIGABRT) and killing it; and what a death may need to be heard of.
ABORT_SECONDS = 0.3
REAP_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of one call: the function's value, or its death."""

    key: Any
    value: Any
    death: Death | None = None


class HandlerProcesses(AbstractContextManager["HandlerProcesses"]):
    """At most ``size`` processes that call ``entry`` (`package.module:function` of one argument).

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
        self._free: list[Process] = []
        self._running = 0
        # calls that ran together when the template ended: one of them has ended it, and each runs alone now
        self._suspects: list[Process] = []
        self._results: list[CallResult] = []
        self._look_at = NEVER
        self._poll = select.poll()
        self._start(fork)

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def idle(self) -> int:
        """The number of calls that can begin now."""
        return 0 if self._suspects else self.size - self._running

    @property
    def running(self) -> list[Hashable]:
        """The keys of what runs now."""
        keys = [process.key for process in self._by_number.values() if process.key is not None]
        return keys + [suspect.key for suspect in self._suspects]

    def run(self, key: Hashable, argument: Any, seconds: float) -> CallResult:
        """Run one call and wait for its end, while nothing else runs. Raises as ``begin`` does."""
        self.begin(key, argument, seconds)
        while not (results := self.finished(60.0)):
            pass
        return results[0]

    def begin(self, key: Hashable, argument: Any, seconds: float) -> None:
        """Run one call with this argument, which is over after ``seconds``.

        ``key`` (not None) names it among those that run. Raises ValueError when nothing is idle, and what
        pickling the argument raises.
        """
        if not self.idle:
            raise ValueError(f"all {self.size} processes are busy")
        frame = frame_bytes(0, seconds, pickle_body(argument))
        while self._free:
            process = self._free.pop()
            with contextlib.suppress(OSError):
                return self._give(process, frame, key, seconds)
            self._forget(process)  # it has ended since its last call
        try:
            self._give(self._make(), frame, key, seconds)
        except OSError:
            self._start_again()
            self._give(self._make(), frame, key, seconds)

    def finished(self, timeout: float) -> list[CallResult]:
        """Return the calls that have finished, in any order; wait at most ``timeout`` seconds for one.

        A call that takes longer than its time is killed in here: call this again soon while anything
        runs. Empty at once when nothing does.
        """
        until = time.monotonic() + timeout
        while not self._results and self._running:
            self._try_suspect()
            now = time.monotonic()
            self._wait(max(0.0, min(until, self._look_at) - now))
            now = time.monotonic()
            if now >= self._look_at:
                self._look_after(now)
            if now >= until:
                break
        results, self._results = self._results, []
        return results

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

    def _make(self) -> Process:
        ours, theirs = socket.socketpair()
        process = Process(next(self._numbers), ours, open_notes())
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

    def _give(self, process: Process, frame: bytes, key: Hashable, seconds: float) -> None:
        process.send(frame)
        process.call = frame
        process.key, process.seconds, process.step, process.begun_at = key, seconds, 0, time.monotonic()
        # one that is still being made has its time from when it is there
        patience = seconds + self.limits.grace_seconds if process.pid else START_SECONDS
        process.act_at = process.begun_at + patience
        self._look_at = min(self._look_at, process.act_at, process.begun_at + LOOK_SECONDS)
        self._running += 1

    def _wait(self, seconds: float) -> None:
        news = False
        for descriptor, _event in self._poll.poll(seconds * 1000 + 1 if seconds else 0):
            process = self._by_channel.get(descriptor)
            if process is None:
                news = True
            else:
                self._hear(process)
        if news:  # after the answers: who has answered and ended has not died of it
            self._hear_of_ends()

    def _hear(self, process: Process) -> None:
        try:
            frame = process.answer()
            value = None if frame is None else unpickle_body(frame[2])
        except Exception:  # not what our side writes: the handler has written into the channel
            self._disown(process)
            return
        if frame is not None and process.key is None:
            self._disown(process)
        elif frame is not None:
            self._finish(process, frame[0], value)
        elif process.silent:
            self._expect_end(process)

    def _finish(self, process: Process, kind: int, value: Any) -> None:
        key, process.key, process.call, process.act_at = process.key, None, b"", NEVER
        self._running -= 1
        if kind & LAST:
            self._forget(process)
        else:
            self._free.append(process)
        is_answer = kind & ~LAST == ANSWERED
        self._results.append(CallResult(key, value) if is_answer else CallResult(key, None, value))

    def _disown(self, process: Process) -> None:
        self._starter.kill(process.number, signal.SIGKILL)
        if process.key is None:
            self._forget(process)
        else:
            self._die(process, deaths.CHANNEL_MISUSED)

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
        if process.key is not None and not process.step:
            process.begun_at = time.monotonic()
            process.act_at = process.begun_at + process.seconds + self.limits.grace_seconds
            self._look_at = min(self._look_at, process.act_at)

    def _note_end(self, process: Process, status: int) -> None:
        if process.key is None:
            self._forget(process)
            return
        self._hear(process)  # its last answer may have come since we looked
        if process.key is not None:
            self._die(process, process.cause_of_end(status, self.limits))

    def _die(self, process: Process, death: Death) -> None:
        key, process.key = process.key, None
        self._running -= 1
        self._forget(process)
        self._results.append(CallResult(key, None, death))

    def _look_after(self, now: float) -> None:
        """Kill what is overdue, or has grown too large."""
        running = [process for process in self._by_number.values() if process.key is not None]
        for process in running:
            if self.limits.memory_bytes and process.pid and not process.step:
                self._weigh(process)
            if now >= process.act_at:
                self._end(process, now)
        running = [process for process in running if process.key is not None]
        self._look_at = min((process.act_at for process in running), default=NEVER)
        if running and self.limits.memory_bytes:
            self._look_at = min(self._look_at, now + LOOK_SECONDS)

    def _weigh(self, process: Process) -> None:
        if resident_bytes(process.pid) - process.resident_at_first > self.limits.memory_bytes:
            process.greedy, process.act_at = True, 0.0

    def _end(self, process: Process, now: float) -> None:
        process.step += 1
        if not process.pid:
            self._die(process, deaths.not_started(START_SECONDS))
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
        victims = [process for process in self._by_number.values() if process.key is not None]
        if len(victims) == 1:
            self._die(victims.pop(), deaths.TEMPLATE_ENDED)
        self._suspects += victims
        for process in list(self._by_number.values()):
            self._forget(process)
        self._start()

    def _try_suspect(self) -> None:
        """Try the next of what ran when the template ended, once nothing else runs."""
        if self._suspects and self._running == len(self._suspects):
            suspect = self._suspects.pop()
            self._running -= 1
            self._give(self._make(), suspect.call, suspect.key, suspect.seconds)

    def _forget(self, process: Process) -> None:
        self._ignore(process)
        self._by_number.pop(process.number, None)
        process.close()

    def _ignore(self, process: Process) -> None:
        if self._by_channel.pop(process.channel.fileno(), None) is not None:
            self._poll.unregister(process.channel.fileno())
        if process in self._free:
            self._free.remove(process)
