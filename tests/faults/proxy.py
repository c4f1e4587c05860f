"""A proxy before PostgreSQL that can cut a connection in the commit: nobody knows then whether it happened.

It reads the client's half of the protocol only: which statement is executed, and the Sync that commits what
was sent before it.
"""

import socket
import struct
import threading
from contextlib import suppress

SSL_REQUEST, GSS_REQUEST = 80_877_103, 80_877_104


class Proxy:
    """Forwards to ``upstream`` on loopback; ``cut`` says where to break next."""

    def __init__(self, upstream: int) -> None:
        self.upstream = upstream
        self.cuts = 0
        self._cut: tuple[str, str] | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, text: str, when: str) -> None:
        """Break the next transaction with a statement that contains ``text``.

        ``when`` is "before" (its commit never reaches the server) or "after" (the server's answer is lost).
        """
        self._cut = (text, when)

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection(("127.0.0.1", self.upstream))
        except OSError:
            client.close()
            return
        line = _Line(self, client, server)
        threading.Thread(target=line.answers, daemon=True).start()
        line.questions()

    def due(self, texts: list[str]) -> str | None:
        """Whether a transaction with these statements is to be cut, and when; only once."""
        if self._cut is None or not any(self._cut[0] in text for text in texts):
            return None
        when, self._cut = self._cut[1], None
        self.cuts += 1
        return when


class _Line:
    """One client's connection."""

    def __init__(self, proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
        self.proxy, self.client, self.server = proxy, client, server
        self.deaf = False
        self.statements: dict[bytes, str] = {}
        self.executed: list[str] = []

    def questions(self) -> None:
        """From the client to the server, message by message."""
        with suppress(OSError, EOFError):
            self._start()
            while True:
                kind, body = self._read(1), self._read(4)
                rest = self._read(struct.unpack("!I", body)[0] - 4)
                self._note(kind, rest)
                when = self.proxy.due(self.executed) if kind in (b"S", b"Q") else None
                if when == "before":
                    break
                self.deaf = when == "after"
                self.server.sendall(kind + body + rest)
                if when == "after":
                    self.server.recv(1)  # it has answered, so it has committed
                    break
        self._hang_up()

    def answers(self) -> None:
        """From the server to the client."""
        with suppress(OSError):
            while data := self.server.recv(65536, socket.MSG_PEEK):
                if self.deaf:
                    return
                self.client.sendall(self.server.recv(len(data)))
        self._hang_up()

    def _start(self) -> None:
        while True:
            length = self._read(4)
            rest = self._read(struct.unpack("!I", length)[0] - 4)
            self.server.sendall(length + rest)
            if struct.unpack("!I", rest[:4])[0] not in (SSL_REQUEST, GSS_REQUEST):
                return

    def _note(self, kind: bytes, rest: bytes) -> None:
        """Parse gives a statement its name, Bind runs it by that; a Query is both. Sync and Query commit."""
        if kind == b"P":
            name, text, _ = rest.split(b"\0", 2)
            self.statements[name] = text.decode(errors="replace")
        elif kind == b"B":
            self.executed.append(self.statements.get(rest.split(b"\0", 2)[1], ""))
        elif kind == b"Q":
            self.executed = [rest.decode(errors="replace")]
        elif kind != b"S":
            return
        elif self.proxy._cut is None or not self.executed:
            self.executed = []

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self.client.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def _hang_up(self) -> None:
        for one in (self.client, self.server):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
