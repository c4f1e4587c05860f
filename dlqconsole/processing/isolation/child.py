"""The process that runs handlers: it takes calls from its channel, and answers each as soon as it is done."""

import contextlib
import faulthandler
import resource
import select
import socket
import sys
import threading
import time

from dlqconsole.processing.time_limit import ThreadTimeLimit, TimeLimit

from .board import Board
from .calls import Calls, Entry
from .channel import READ_BYTES, Inbox, ProcessLimits, receive
from .output import Outlet
from .usage import limit_growth

# between two looks at what takes too long in a thread, and at answers that no thread has sent
LOOK_SECONDS, SEND_SECONDS = 0.1, 0.005


def serve(channel: socket.socket, notes: int, entry: Entry, limits: ProcessLimits, outlet: Outlet) -> None:
    """Answer calls until the channel closes, or this process has been used enough."""
    _settle_in(notes, limits)
    calls = Calls(channel, Board(notes, limits.slots), entry, limits, outlet)
    if limits.threads == 1:
        _serve_in_turn(channel, calls)
    else:
        _serve_side_by_side(channel, calls, limits.threads)


def _settle_in(notes: int, limits: ProcessLimits) -> None:
    # a killed process is told of by its trace, not by a file as large as its memory
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable(notes)
    limit_growth(limits.memory_bytes)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError, OSError):
            stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]


def _serve_in_turn(channel: socket.socket, calls: Calls) -> None:
    """Run one call after the other in the main thread, where a timer can interrupt it."""
    inbox = Inbox()
    with TimeLimit() as time_limit:
        while frames := receive(channel, inbox):
            calls.put(frames)
            while not calls.has_ended and calls.run_next(0, time_limit):
                pass
            if calls.has_ended:
                return


def _serve_side_by_side(channel: socket.socket, calls: Calls, threads: int) -> None:
    """Run calls in threads, while this one takes more of them, sends answers, and looks at the clock."""
    limits = [ThreadTimeLimit() for _ in range(threads)]
    for slot, limit in enumerate(limits):
        threading.Thread(target=_run_calls, args=(calls, slot, limit), daemon=True).start()
    inbox, poll = Inbox(), select.poll()
    poll.register(channel, select.POLLIN)
    look_at = 0.0
    while not calls.has_ended:
        if poll.poll((SEND_SECONDS if calls.are_there else LOOK_SECONDS) * 1000):
            if not (data := channel.recv(READ_BYTES)):
                return
            calls.put(inbox.frames(data))
        calls.send_answers()
        if time.monotonic() > look_at:
            look_at = time.monotonic() + LOOK_SECONDS / 2
            for limit in limits:
                limit.expire_if_due()


def _run_calls(calls: Calls, slot: int, limit: ThreadTimeLimit) -> None:
    limit.begin_thread()
    while not calls.has_ended:
        calls.run_next(slot, limit, wait=True)
