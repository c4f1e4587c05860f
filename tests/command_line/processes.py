"""manage.py as a process of its own, on the tests' database."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.operations.processes import address_here
from tests.starting import Popen

ROOT = Path(__file__).parents[2]
NOWHERE = "postgres://nobody:hush-hush@127.0.0.1:1/x"


def started(
    *arguments: str, starter: Callable[..., subprocess.Popen] = Popen, database: str = "", **more: Any
) -> subprocess.Popen:
    """``starter``: subprocess.Popen where what happens while it imports is the matter."""
    return starter(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": database or address_here()},
        text=True,
        **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more,
    )


def ended(*arguments: str, database: str = "", **more: Any) -> tuple[int, str]:
    """The exit status, and what it said on the standard error."""
    with started(*arguments, database=database, **more) as command:
        complaints = command.communicate(timeout=60)[1]
    return command.returncode, complaints
