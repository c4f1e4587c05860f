"""Programs that tests need from the operating system, installed where we may, named where we may not."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .errors import RuntimeProblem


@dataclass(frozen=True)
class SystemProgram:
    """A program: the names it goes by, the package that brings it, the variable that names another one."""

    names: tuple[str, ...]
    package: str
    variable: str


CHROMIUM = SystemProgram(("chromium", "chromium-browser", "google-chrome"), "chromium", "DLQ_CHROMIUM")


def ensure(program: SystemProgram) -> Path:
    """Where the program is, after installing its package if need be."""
    found = locate(program)
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Installing {program.package} ...", flush=True)
        apt_install(program.package)
        found = locate(program)
    if found is None:
        raise RuntimeProblem(
            f"The tests need {program.names[0]}: install it (apt-get install {program.package}), "
            f"or set {program.variable} to one that is there"
        )
    return found


def locate(program: SystemProgram) -> Path | None:
    """The program that a variable names, else the first on PATH."""
    named = os.environ.get(program.variable)
    for name in (named,) if named else program.names:
        found = shutil.which(name)
        if found:
            return Path(found)
    return None


def apt_install(package: str) -> None:
    """Install a Debian package without questions and without what it merely recommends."""
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", package]
    for command in (["apt-get", "update", "-q"], install):
        done = subprocess.run(
            command, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, capture_output=True, text=True
        )
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise RuntimeProblem(f"{' '.join(command)} failed: {last}")
