"""The client: takes reports at once, writes them to the spool, and sends them from there.

    report() -> queue -> writer (a thread) -> spool -> sender (a thread) -> console

Whoever reports waits until the report is in the spool, but no longer than WAIT: a disk may hang as well.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import queue
import random
import threading
import time
import weakref
from collections.abc import Callable

from .destinations import Away, Destination
from .reports import Report
from .spool import Spool

log = logging.getLogger("dlq")

# seconds: for the disk to take a report; between two looks for what dead processes left, and until the
# connection is closed; between two log lines of one kind
WAIT, IDLE, QUIET = 0.04, 10.0, 60.0
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
# reports that the disk has not taken yet
MOST_UNWRITTEN = 1_000
MOST_SENTENCES = 100


class Client:
    """One destination with its spool. The child of a fork begins with files and a connection of its own."""

    def __init__(self, destination: Destination, spool: Spool, exit_seconds: float) -> None:
        self._destination, self._spool, self._exit_seconds = destination, spool, exit_seconds
        self._begin()
        _clients.add(self)
        atexit.register(self.close)
        if self._spool.adopt():
            self._start()

    def _begin(self) -> None:
        self._process = os.getpid()
        # a signal's handler may report while its own thread does
        self._lock = threading.RLock()
        self._progress = threading.Condition(threading.Lock())
        self._queue: queue.SimpleQueue[tuple[Report, threading.Event] | None] = queue.SimpleQueue()
        self._unwritten = 0
        self._work, self._hurry, self._stopping = threading.Event(), threading.Event(), threading.Event()
        self._threads: list[threading.Thread] = []
        self._dropped = 0
        self._unsaid: dict[str, int] = {}
        self._said: dict[str, float] = {}

    def begin_in_child(self) -> None:
        """Leave the parent's files and connection alone. Its unsent reports are the parent's to send."""
        self._spool = self._spool.anew()
        self._destination.abandon()
        self._begin()

    def take(self, report: Report, begun: float) -> bool:
        """Take a report; False if it was dropped. Returns WAIT after ``begun`` at the latest."""
        if self._process != os.getpid():
            self.begin_in_child()
        written = threading.Event()
        with self._lock:
            if self._unwritten >= MOST_UNWRITTEN:
                self.drop("the disk of the spool does not answer")
                return False
            self._unwritten += 1
            started = self._start()
        if not started:  # the interpreter ends
            return self._write(report)
        self._queue.put((report, written))
        written.wait(max(0.0, begun + WAIT - time.monotonic()))
        return True

    def drop(self, why: str, number: int = 1) -> None:
        """Count what is lost; the next report and the log tell."""
        with self._lock:
            self._dropped += number
            self._unsaid[why] = self._unsaid.get(why, 0) + number

    def flush(self, seconds: float) -> bool:
        """Try to send everything now, also of dead processes; tell whether nothing is left."""
        self._spool.adopt()
        return self._flush(seconds, self._spool.pending)

    def _flush(self, seconds: float, pending: Callable[[], bool]) -> bool:
        deadline = time.monotonic() + seconds
        while self._unwritten > 0 or pending():
            left = deadline - time.monotonic()
            if not self._start() or left <= 0:
                return False
            self._work.set()
            self._hurry.set()
            with self._progress:
                self._progress.wait(min(left, 0.05))
        return True

    def close(self, seconds: float | None = None) -> None:
        """Send for a bounded time what there is, and leave the rest in the spool."""
        atexit.unregister(self.close)
        _clients.discard(self)
        if self._process != os.getpid():
            return
        sent = self._flush(self._exit_seconds if seconds is None else seconds, self._spool.pending_own)
        for signal in (self._stopping, self._work, self._hurry):
            signal.set()
        self._queue.put(None)
        for thread in self._threads:
            thread.join(0.5)
        self._say_dropped(at_once=True)
        if not sent:
            log.warning("some reports are not sent yet; a later process sends what lies in the spool")
        self._spool.close()

    def _start(self) -> bool:
        """Have both threads run; False where none can begin any more."""
        with self._lock:
            if not self._threads and not self._stopping.is_set():
                self._threads = [
                    threading.Thread(target=target, name=f"dlq-{name}", daemon=True)
                    for name, target in (("writer", self._write_all), ("sender", self._send_all))
                ]
                try:
                    for thread in self._threads:
                        thread.start()
                except RuntimeError:
                    self._stopping.set()
            return not self._stopping.is_set()

    def _write_all(self) -> None:
        while (item := self._queue.get()) is not None:
            report, written = item
            self._write(report)
            written.set()
            self._work.set()

    def _write(self, report: Report) -> bool:
        with self._lock:
            dropped = self._dropped
        if dropped and "error" in report:
            report["error"]["headers"]["dlq_dropped"] = dropped
        else:
            dropped = 0
        kept, why = False, "the spool is full"
        try:
            kept = self._spool.append(json.dumps(report, ensure_ascii=False).encode() + b"\n")
        except Exception as problem:
            why = f"the spool cannot be written to ({type(problem).__name__}: {problem})"
        with self._lock:
            self._unwritten -= 1
            if kept:
                self._dropped -= dropped
            else:
                self.drop(why)
        return kept

    def _send_all(self) -> None:
        pause = FIRST_PAUSE
        while not self._stopping.is_set():
            try:
                self._work.clear()
                self._say_dropped()
                if lines := self._spool.batch():
                    self._send(lines)
                else:
                    self._rest()
                pause = FIRST_PAUSE
            except Away as away:
                self._say(f"{away}; what is reported waits in the spool")
                self._pause(away.seconds or pause * random.uniform(0.5, 1), told=away.seconds is not None)  # noqa: S311
                pause = min(2 * pause, LONGEST_PAUSE)
            except Exception as problem:  # a fault of ours must not end the thread
                self._say(f"sending failed ({type(problem).__name__}: {problem})")
                self._pause(LONGEST_PAUSE, told=True)

    def _send(self, lines: list[bytes]) -> None:
        reports, lost = [], []
        for line in lines:
            try:
                reports.append(json.loads(line))
            except ValueError:
                lost.append("a process died while it wrote it")
        if reports:
            lost += self._destination.send(reports)
        self._spool.done(lines)
        for why in lost:
            self.drop(why)
        self._advanced()

    def _rest(self) -> None:
        self._hurry.clear()
        self._advanced()
        if not self._work.wait(IDLE):
            self._destination.close()
            self._spool.adopt()

    def _pause(self, seconds: float, *, told: bool) -> None:
        """Wait. Whoever is in a hurry ends it, unless the other side has told how long it is."""
        self._hurry.clear()
        self._advanced()
        (self._stopping if told else self._hurry).wait(seconds)

    def _advanced(self) -> None:
        with self._progress:
            self._progress.notify_all()

    def _say_dropped(self, *, at_once: bool = False) -> None:
        for why in list(self._unsaid):
            if at_once or self._is_news(why):
                with self._lock:
                    number = self._unsaid.pop(why, 0)
                log.error("dropped %d report%s: %s", number, "" if number == 1 else "s", why)

    def _say(self, sentence: str) -> None:
        if self._is_news(sentence):
            log.warning("%s", sentence)

    def _is_news(self, sentence: str) -> bool:
        now = time.monotonic()
        if now - self._said.get(sentence, -QUIET) < QUIET:
            return False
        if len(self._said) > MOST_SENTENCES:
            self._said.clear()
        self._said[sentence] = now
        return True


_clients: weakref.WeakSet[Client] = weakref.WeakSet()


def _begin_in_child() -> None:
    for client in list(_clients):
        with contextlib.suppress(Exception):
            client.begin_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)
