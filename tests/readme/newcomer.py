"""A newcomer: a fresh copy of this checkout, a shell without our environment, and the README before them."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

from dlqconsole.running.ports import free_port

CHECKOUT = Path(__file__).parents[2]
README = CHECKOUT / "README.md"
# what the registries' clients and the machine's own programs need to be found; that Java's quick compiler is
# enough for a test; and where a run of the tests keeps what is temporary
KEPT = re.compile(
    r"PATH|LANG|SSL_CERT.*|REQUESTS_CA.*|PIP_.*|UV_.*|.*_proxy|.*_PROXY|PYENV_ROOT|SPARK_.*_OPTS|TMPDIR"
)


def blocks() -> dict[tuple[str, int], str]:
    """The README's code blocks by heading and place below it."""
    found: dict[tuple[str, int], str] = {}
    heading, place = "", 0
    for part in re.split(r"(^```\w*\n.*?^```$)", README.read_text(), flags=re.MULTILINE | re.DOTALL):
        if part.startswith("```"):
            found[heading, place] = part.partition("\n")[2].removesuffix("```")
            place += 1
        elif headings := re.findall(r"^#+ (.*)$", part, re.MULTILINE):
            heading, place = headings[-1], 0
    return found


def inline(beginning: str) -> str:
    """A command that the README has within a sentence."""
    (command,) = re.findall(rf"`({re.escape(beginning)}[^`]*)`", README.read_text())
    return str(command)


def copy(source: Path, target: Path) -> None:
    """With its times, by which Python knows whether bytecode is of this source."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def copy_bytecode(source: Path, target: Path) -> None:
    """What is compiled is compiled: a dozen processes that start at once would each do it anew."""
    compiled, wanted = (Path(cache_from_source(path)) for path in (source, target))
    with suppress(FileNotFoundError):
        copy(compiled, wanted)


def share_bytecode(prefix: Path, checkout: Path) -> None:
    """The same where bytecode is kept away from the sources, of the packages and of Python's own, too."""
    for source, seen_as in ((CHECKOUT, checkout), (Path(sys.base_prefix), Path(sys.base_prefix))):
        place = prefix.joinpath(*seen_as.parts[1:])
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(Path(str(sys.pycache_prefix), *source.parts[1:]))


class Newcomer:
    """``make demo`` in a folder of its own, and a shell in that folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "dlqconsole"
        self.port = free_port()
        self.password = secrets.token_urlsafe(12)
        self.said: list[str] = []
        kept = {name: value for name, value in os.environ.items() if KEPT.fullmatch(name)}
        own = {"HOME": str(folder), "PORT": str(self.port), "DLQ_DEMO_PASSWORD": self.password}
        self.environment = kept | own | {"PYTHONPATH": str(self.folder), "TERM": "dumb"}
        self._copy()
        if sys.pycache_prefix:
            share_bytecode(folder / "bytecode", self.folder)
            self.environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        self._demo: subprocess.Popen[str] | None = None

    def _copy(self) -> None:
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout
        for name in filter(None, names.split("\0")):
            if (CHECKOUT / name).is_file():
                copy(CHECKOUT / name, self.folder / name)
                if name.endswith(".py") and not sys.pycache_prefix:
                    copy_bytecode(CHECKOUT / name, self.folder / name)
        # what `make demo` would install is installed: the same pinned files
        (self.folder / ".venv").symlink_to((CHECKOUT / ".venv").resolve())

    def start(self, command: str) -> None:
        """Type it and leave it running; what it prints is in ``said``.

        The shell has servers of somebody's own, which the demo is to leave alone.
        """
        theirs = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL")}
        self._demo = self._popen(command, subprocess.STDOUT, theirs)
        threading.Thread(target=self._listen, args=(self._demo,), daemon=True).start()

    def _listen(self, demo: subprocess.Popen[str]) -> None:
        assert demo.stdout is not None
        for line in demo.stdout:
            self.said.append(line.rstrip())

    def wait_for(self, words: str, seconds: float) -> str:
        """The first line of the demo that has these words."""
        deadline = time.monotonic() + seconds
        while True:
            for line in list(self.said):
                if words in line:
                    return line
            assert self._demo is not None
            assert self._demo.poll() is None, "\n".join(self.said)
            assert time.monotonic() < deadline, f"no “{words}” within {seconds:g} s:\n" + "\n".join(self.said)
            time.sleep(0.1)

    def stop(self) -> int:
        """Ctrl-C; the exit status."""
        assert self._demo is not None
        if self._demo.poll() is None:
            os.killpg(self._demo.pid, signal.SIGINT)
        return self._demo.wait(timeout=60)

    def types(self, command: str, seconds: float = 300) -> str:
        """Type a block into a shell that stops at the first error; what it printed. Fails as it does."""
        shell = self._popen(f"set -e\n{command}", subprocess.PIPE)
        out, err = shell.communicate(timeout=seconds)
        assert shell.returncode == 0, f"exit status {shell.returncode}\n{command}\n{out}\n{err}"
        assert "Traceback" not in err
        return out

    def types_and_interrupts(self, command: str, ready: object, seconds: float = 60) -> str:
        """Type what stays in the foreground; Ctrl-C once ``ready()`` is true."""
        shell = self._popen(command, subprocess.PIPE)
        deadline = time.monotonic() + seconds
        while not ready() and time.monotonic() < deadline:  # type: ignore[operator]
            assert shell.poll() is None, shell.communicate()
            time.sleep(0.1)
        os.killpg(shell.pid, signal.SIGINT)
        out, err = shell.communicate(timeout=30)
        assert "Traceback" not in err, err
        return out + err

    def _popen(self, command: str, errors: int, more: dict[str, str] | None = None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment | (more or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )

    @property
    def database_url(self) -> str:
        """Found as the README says."""
        (command,) = re.findall(r'`psql "\$\(([^`]*)\)"`', README.read_text())
        return self.types(command).strip()

    @property
    def owner_url(self) -> str:
        """The superuser's, as the README says."""
        (command,) = re.findall(r"`(sed [^`]*owner)`", README.read_text())
        return self.types(command).strip()
