"""The settings of a running demo, or `dlqconsole up`, in a file that other commands find by themselves.

`$DLQ_DATA_DIR/env` holds KEY=VALUE lines and is there while it runs; in a demo so is `$DLQ_DATA_DIR/owner`,
with the superuser's DATABASE_URL. `$DLQ_DATA_DIR/secrets` keeps the passwords between runs. All are for
their owner's eyes only.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from . import places

CHECKOUT = places.PACKAGE.parent
# the comment on a database that the demo made: in no other does it make people or set their passwords
DATABASE_MARK = "made by make demo"


def data_directory() -> Path:
    """The folder: DLQ_DATA_DIR, else .data in the checkout; an installed package has one in the home."""
    if folder := os.environ.get("DLQ_DATA_DIR"):
        return Path(folder).absolute()
    if not places.IS_INSTALLED:
        return CHECKOUT / ".data"
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state).absolute() / "dlqconsole"


def load_demo_environment() -> bool:
    """Fill os.environ from the running demo's file. Values that are set, and not empty, stay.

    A DATABASE_URL that is not the demo's, nor its superuser's, prevents it. True: there was a file to read.
    """
    address = os.environ.get("DATABASE_URL")
    if address and not _is_the_demos(address):
        return False
    settings = read(data_directory() / "env")
    for key, value in settings.items():
        os.environ[key] = os.environ.get(key) or value
    return bool(settings)


def _is_the_demos(address: str) -> bool:
    files = (data_directory() / name for name in ("env", "owner"))
    try:
        return any(read(file).get("DATABASE_URL") == address for file in files)
    except OSError:  # a folder that cannot be is no demo's
        return False


def read(file: Path) -> dict[str, str]:
    """The KEY=VALUE lines of a file; empty when it is absent or not ours to read."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return {}
    pairs = (line.partition("=") for line in lines if "=" in line and not line.lstrip().startswith("#"))
    return {key.strip(): value for key, _, value in pairs}


def write(file: Path, settings: Mapping[str, str]) -> None:
    """Replace a file by these settings in one step, readable by its owner alone."""
    broken = [key for key, value in settings.items() if "\n" in value or "\r" in value]
    if broken:
        raise ValueError(f"{broken[0]} has a line break, which a KEY=VALUE line cannot hold")
    fresh = file.with_name(file.name + ".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        out.writelines(f"{key}={value}\n" for key, value in settings.items())
    fresh.replace(file)
