"""The workers of ``examples/``, ready to run with a handler of the tests; skipped where that cannot be."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from dlqconsole.system.errors import RuntimeProblem
from tests.sizes import SOAK
from tools.system_packages import GO, NODE, PSQL, SystemProgram, ensure, locate

CHECKOUT = Path(__file__).parents[2]
EXAMPLES = CHECKOUT / "examples"
HANDLERS = Path(__file__).parent / "handlers"
NPM = ("npm", "--fetch-retries=1", "--fetch-timeout=20000")
# where Debian's packages of Go's libraries are
GO_LIBRARIES = Path("/usr/share/gocode")


def node(cache: Path) -> list[str]:
    """Return the command of the worker in Node. Its driver comes from npm, once for each lock file."""
    program = _program(NODE, installs=False)
    folder = cache / _digest([EXAMPLES / "node"], HANDLERS / "handle.mjs")
    with _made_once(folder) as unfinished:
        if unfinished:
            _copy([*(EXAMPLES / "node").glob("*.*"), HANDLERS / "handle.mjs"], unfinished)
            _run([*NPM, "ci", "--no-audit", "--no-fund"], unfinished, "npm cannot install pg")
    return [str(program), str(folder / "worker.mjs"), "{queue}", str(folder / "handle.mjs")]


def go(cache: Path) -> list[str]:
    """Return the command of the worker in Go, compiled."""
    program = _program(GO, installs=SOAK)  # it is large
    if not (GO_LIBRARIES / "src/github.com/lib/pq").is_dir():
        pytest.skip("Go's driver is not there: install golang-github-lib-pq-dev.")
    folder = cache / _digest([EXAMPLES / "go"], HANDLERS / "handle.go")
    with _made_once(folder) as unfinished:
        if unfinished:
            _copy([*(EXAMPLES / "go").glob("*.go"), HANDLERS / "handle.go"], unfinished)
            variables = {
                "GO111MODULE": "off",
                "GOPATH": str(GO_LIBRARIES),
                "GOCACHE": str(cache / "compiled"),
            }
            _run(
                [str(program), "build", "-o", "worker", "."], unfinished, "Go does not compile it", variables
            )
    return [str(folder / "worker"), "{queue}"]


def sql(_cache: Path) -> list[str]:
    """Return the command of the worker in SQL."""
    program, script = _program(PSQL), EXAMPLES / "psql" / "worker.sql"
    variables = ["-v", "queue={queue}", "-v", "handler=handle", "-v", "ON_ERROR_STOP=1"]
    return [str(program), "{address}", "--no-psqlrc", "-q", *variables, "-f", str(script)]


LANGUAGES = {"node": node, "go": go, "sql": sql}
_problems: dict[str, str] = {}


def _program(program: SystemProgram, *, installs: bool = True) -> Path:
    try:
        path = ensure(program) if installs else locate(program)
    except RuntimeProblem as problem:
        pytest.skip(f"{problem}.")
    if path is None:
        pytest.skip(f"There is no {program.names[0]} here: install {' and '.join(program.packages)}.")
    return path


def _digest(folders: Sequence[Path], *files: Path) -> str:
    names = sorted([*files, *(file for folder in folders for file in folder.glob("*.*"))])
    return hashlib.sha256(b"\0".join(name.read_bytes() for name in names)).hexdigest()[:16]


def _copy(files: Sequence[Path], folder: Path) -> None:
    """The last one stands for an example's file of that name."""
    for file in files:
        shutil.copy(file, folder / file.name)


@contextmanager
def _made_once(folder: Path) -> Iterator[Path | None]:
    """Give a folder to fill, which then gets its name; None where another process has done it."""
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            yield None
            return
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        yield unfinished
        unfinished.rename(folder)


def _run(command: list[str], folder: Path, problem: str, variables: dict[str, str] | None = None) -> None:
    """Run it, or skip; what failed once is not waited for again."""
    if problem in _problems:
        pytest.skip(_problems[problem])
    try:
        subprocess.run(
            command,
            cwd=folder,
            env=os.environ | (variables or {}),
            check=True,
            capture_output=True,
            timeout=120,
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or b""
        _problems[problem] = f"{problem}: {said.decode(errors='replace').strip()[-300:] or error}"
        pytest.skip(_problems[problem])
