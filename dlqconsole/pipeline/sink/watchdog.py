"""The watchdog that ends this process when a handler in it does not stop."""

import faulthandler
import os
import sys
import threading
import time
from types import TracebackType
from typing import Never, Self

LOOK_SECONDS = 1.0
EXIT_STATUS = 70


class Watchdog:
    """A thread that looks once a second, within this block, whether something has run for too long.

    While it looks it keeps winding up a timer that needs no Python: one ends this process, too, where a
    library holds the interpreter for ever.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)

    def __enter__(self) -> Self:
        self._wind_up()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        faulthandler.cancel_dump_traceback_later()

    def began(self) -> None:
        """Note that something runs from now on."""
        self._began = time.monotonic()

    def ended(self) -> None:
        """Note that nothing runs."""
        self._began = 0.0

    def end_process(self, why: str) -> Never:
        """End this process at once, with a line in its log."""
        print(
            f"dlqconsole: {why}: this worker ends, and its piece is read again", file=sys.stderr, flush=True
        )
        os._exit(EXIT_STATUS)

    def _run(self) -> None:
        while not self._stop.wait(LOOK_SECONDS):
            began = self._began
            if began and time.monotonic() - began > self._seconds:
                faulthandler.dump_traceback()
                self.end_process(f"a handler did not stop within {self._seconds:g} s")
            self._wind_up()

    def _wind_up(self) -> None:
        faulthandler.dump_traceback_later(2 * self._seconds + LOOK_SECONDS, exit=True)
