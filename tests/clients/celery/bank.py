"""A bank by TCP, which books payments while it is open, and counts how often it was asked for each."""

import contextlib
import socket
import threading
from collections import Counter

from dlqconsole.running.ports import free_port


class Bank:
    """Closed, it refuses connections, as any service that is away."""

    def __init__(self) -> None:
        self.booked: Counter[str] = Counter()
        self.port = free_port()
        self._listener: socket.socket | None = None
        self._thread: threading.Thread | None = None

    def open(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=100)
        self._thread = threading.Thread(target=self._book, args=[self._listener], daemon=True)
        self._thread.start()

    def close(self) -> None:
        if self._listener and self._thread:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._thread.join()
            self._listener.close()
            self._listener = None

    def _book(self, listener: socket.socket) -> None:
        while True:
            try:
                payment, _ = listener.accept()
            except OSError:  # closed
                return
            with payment, contextlib.suppress(OSError):
                order = payment.makefile().readline().strip()
                payment.sendall(b"ok")
                self.booked[order] += 1
