"""A stop that a signal handler may ask for."""

import queue


class Stop:
    """A stop that is asked for once, and never taken back.

    Not a ``threading.Event``: its ``set`` takes a lock, and a handler that runs while the same thread holds
    it, in ``wait``, would wait for itself. A SimpleQueue may be put to from anywhere.
    """

    def __init__(self) -> None:
        self.asked = False
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()

    def ask(self, *_signal: object) -> None:
        """Ask for it; as it stands, a handler for ``signal.signal``."""
        self.asked = True
        self._wake.put(None)

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until it is asked for; tell whether it is. For one thread."""
        if not self.asked:
            try:
                self._wake.get(timeout=max(seconds, 0.0))
            except queue.Empty:
                return self.asked
        return True
