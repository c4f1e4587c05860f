"""The process that runs handlers: it takes one call after another from its channel and answers each."""

import contextlib
import faulthandler
import os
import resource
import socket
import sys
from collections.abc import Callable
from typing import Any

from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.stacktraces import message_of, stacktrace
from dlqconsole.processing.texts import one_line
from dlqconsole.processing.time_limit import HandlerTimeout, TimeLimit

from .channel import (
    ANSWERED,
    DIED,
    LAST,
    Frame,
    Inbox,
    ProcessLimits,
    frame_bytes,
    pickle_body,
    receive,
    unpickle_body,
)
from .deaths import UNANSWERED, Death, out_of_memory
from .output import Outlet
from .usage import Growth, Leftovers, limit_growth

LONGEST_SAID = 4_000

type Entry = Callable[[Any], Any]


def serve(channel: socket.socket, notes: int, entry: Entry, limits: ProcessLimits, outlet: Outlet) -> None:
    """Answer calls until the channel closes, or this process has been used enough."""
    _settle_in(notes, limits)
    inbox, growth, leftovers = Inbox(), Growth(limits.memory_bytes // 2), Leftovers()
    with TimeLimit() as time_limit:
        while (call := receive(channel, inbox)) is not None:
            outlet.begin()
            kind, body = _answer(call, entry, time_limit, limits)
            outlet.end()
            # its leftovers could end this process during the next call, which would be blamed
            if growth.is_too_much() or leftovers.are_there():
                kind |= LAST
            _send(channel, frame_bytes(kind, 0, body))
            if kind & LAST:
                return


def _settle_in(notes: int, limits: ProcessLimits) -> None:
    # a killed process is told of by its trace, not by a file as large as its memory
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable(notes)
    limit_growth(limits.memory_bytes)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError, OSError):
            stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]


def _answer(call: Frame, entry: Entry, time_limit: TimeLimit, limits: ProcessLimits) -> tuple[int, bytes]:
    me = os.getpid()
    try:
        _kind, seconds, body = call
        argument = unpickle_body(body)
        value = time_limit.run(seconds, lambda: entry(argument))
    except BaseException as error:
        kind, death = _failure(error, limits)
        return kind, pickle_body(death)
    finally:
        if os.getpid() != me:  # a handler has forked, and this is its child: the channel is not its own
            os._exit(0)
    try:
        return ANSWERED, pickle_body(value)
    except Exception as error:
        return DIED, pickle_body(Death(f"UnusableRecord: it cannot be sent: {_words_of(error)}", fatal=False))


def _failure(error: BaseException, limits: ProcessLimits) -> tuple[int, Death]:
    trace = stacktrace(error)
    match error:
        case HandlerTimeout():
            return DIED, Death(_words_of(error), error.category, trace, fatal=False)
        case MemoryError():
            return DIED | LAST, out_of_memory(limits.memory_bytes, trace)
        case SystemExit() | KeyboardInterrupt() | GeneratorExit():
            return DIED | LAST, Death(f"HandlerDied: it raised {_words_of(error)}", UNKNOWN, trace)
    return DIED, Death(_words_of(error), UNKNOWN, trace, fatal=False)


def _send(channel: socket.socket, frame: bytes) -> None:
    try:
        channel.sendall(frame)
    except OSError:
        os._exit(UNANSWERED)


def _words_of(error: BaseException) -> str:
    return one_line(f"{type(error).__name__}: {message_of(error)}".removesuffix(": "), LONGEST_SAID)
