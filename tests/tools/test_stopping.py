"""A stop may be asked for by a signal handler, whatever the thread that it interrupts does just then."""

import signal
import threading
import time

from dlqconsole.system.processes import Stop


def test_a_signal_ends_a_wait_at_once_and_later_waits_are_none():
    stop = Stop()
    before = signal.signal(signal.SIGUSR1, stop.ask)
    try:
        main = threading.main_thread().ident
        threading.Timer(0.1, signal.pthread_kill, (main, signal.SIGUSR1)).start()
        begun = time.monotonic()
        assert stop.wait(30)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert time.monotonic() - begun < 10
    assert stop.asked
    assert stop.wait(30)


def test_a_storm_of_signals_amid_short_waits_never_hangs():
    stop = Stop()
    before = signal.signal(signal.SIGALRM, stop.ask)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        for _ in range(20_000):
            stop.asked = False
            stop.wait(0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_nobody_asked():
    assert not Stop().wait(0.01)
