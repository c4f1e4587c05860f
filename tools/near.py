"""`make near`: the tests of what the working tree changes, in the time that one waits for.

A file's tests are those of its noun (``engine/queues/`` has ``tests/engine/queues/``), and those that import
it. It finds what is close, not all that may break: `make test` does, before a change goes to others.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

PRODUCT = "dlqconsole"


def changed_files(checkout: Path) -> list[str]:
    """The files that differ from the last commit, new ones too; those of that commit where none does."""
    here = _git(checkout, "diff", "--name-only", "HEAD") + _git(
        checkout, "ls-files", "--others", "--exclude-standard"
    )
    return here or _git(checkout, "diff", "--name-only", "HEAD~1")


def near_tests(checkout: Path, files: Iterable[str]) -> list[str]:
    """The test files and folders that are close to these files, as pytest takes them; in no folder twice."""
    paths = {near for file in files for near in _near(checkout, PurePosixPath(file))}
    return sorted(path for path in paths if not any(str(one) in paths for one in PurePosixPath(path).parents))


def _near(checkout: Path, file: PurePosixPath) -> Iterator[str]:
    room, *inner = file.parts
    if room == "tests" and file.suffix == ".py":
        test = file.name.startswith("test_") and (checkout / file).exists()
        yield from [str(file)] if test else _folder(checkout, inner)
    elif room == "clients":
        yield "tests/clients"
    elif room in (PRODUCT, "templates", "examples", "tools"):
        yield from _folder(checkout, [room, *inner] if room in ("examples", "tools") else inner)
        if file.suffix == ".py":
            yield from _importing(checkout, file)


def _folder(checkout: Path, inner: list[str]) -> Iterator[str]:
    """The tests of the noun, or of the room where it has none of its own."""
    for length in range(len(inner) - 1, 0, -1):
        folder = PurePosixPath("tests", *inner[:length])
        if (checkout / folder).is_dir():
            yield str(folder)
            return


def _importing(checkout: Path, file: PurePosixPath) -> Iterator[str]:
    package, name = ".".join(file.parts[:-1]), file.stem
    words = (f"{package}.{name} ", f"{package} import {name}\n", f'"{package}.{name}.')
    for test in (checkout / "tests").rglob("test_*.py"):
        text = test.read_text(encoding="utf-8")
        if any(word in text for word in words):
            yield test.relative_to(checkout).as_posix()


def _git(checkout: Path, *arguments: str) -> list[str]:
    process = subprocess.run(["git", *arguments], cwd=checkout, capture_output=True, text=True, check=True)
    return process.stdout.splitlines()
