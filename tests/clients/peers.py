"""What the client talks to: a console by HTTP that notes what it is asked, and a door before a server."""

import json
import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from dlqconsole.running.ports import free_port


class Console:
    """A real HTTP server. It stores what it is sent, unless ``answers`` has something else to say first."""

    def __init__(self, port: int | None = None) -> None:
        self.port = port or free_port()
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.answers: list[tuple[int, dict[str, str], Any]] = []
        # cleared: whoever asks waits for an answer
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.asked = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://dlq_token@127.0.0.1:{self.port}/"

    @property
    def stored(self) -> list[dict[str, Any]]:
        """The failures of the requests that were answered by 201."""
        return [failure for path, _, body in self.requests if path.endswith("/failures") for failure in body]

    @property
    def keys(self) -> list[str]:
        return [failure["id"] for failure in self.stored]

    def close(self) -> None:
        self.may_answer.set()
        self._server.shutdown()
        self._server.server_close()


def _handler(console: Console) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            console.asked.set()
            console.may_answer.wait()
            status, headers, answer = console.answers.pop(0) if console.answers else (201, {}, [])
            if status == 201:
                console.requests.append((self.path, dict(self.headers), body))
            content = json.dumps(answer).encode()
            with suppress(OSError):
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

        do_GET = do_POST  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


class Door:
    """A port that is closed until ``open``: then it leads to the server on loopback."""

    def __init__(self, upstream: int) -> None:
        self.upstream, self.port = upstream, free_port()
        self._listener: socket.socket | None = None
        self._sockets: list[socket.socket] = []
        self._is_silent = threading.Event()

    def open(self) -> None:
        self._is_silent = threading.Event()
        if self._listener is None:
            self._listener = socket.create_server(("127.0.0.1", self.port))
            threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def close(self) -> None:
        """Refuse whoever comes, and hang up on everybody."""
        if self._listener is not None:
            _shut(self._listener)
            self._listener.close()
            self._listener = None
        self.hang_up()

    def hang_up(self) -> None:
        while self._sockets:
            _shut(self._sockets.pop())

    def be_silent(self) -> None:
        """Take all that comes, also on connections that are there, and never answer on any of these."""
        self._is_silent.set()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.create_connection(("127.0.0.1", self.upstream))
                self._sockets += [client, server]
                for one, other in ((client, server), (server, client)):
                    way = (one, other, self._is_silent)
                    threading.Thread(target=_forward, args=way, daemon=True).start()


def _forward(one: socket.socket, other: socket.socket, is_silent: threading.Event) -> None:
    with suppress(OSError):
        while data := one.recv(65_536):
            if not is_silent.is_set():
                other.sendall(data)
    if not is_silent.is_set():
        _shut(other, socket.SHUT_WR)


def _shut(one: socket.socket, how: int = socket.SHUT_RDWR) -> None:
    with suppress(OSError):
        one.shutdown(how)
