"""The content of a folder and the folders in it, whoever swaps one of them for a link meanwhile."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dlqconsole.processing.beneath import open_beneath
from dlqconsole.processing.plain_files import kind_of


@dataclass(frozen=True, slots=True)
class Entry:
    """A name in a folder, and what it is. ``problem``: why what should be read cannot be."""

    path: Path
    kind: str = "a file"
    problem: str = ""


def entries_in(top: Path, root: str | Path) -> Iterator[Entry]:
    """All but folders, and folders that cannot be looked into. Raises OSError where ``top`` is such a one.

    Each folder is opened from ``root`` on: a thousand of them, one in the other, keep no more than one open.
    """
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            entries = _scan_folder(folder, root)
        except OSError as error:
            if folder == top:
                raise
            problem = f"cannot look into the folder: {error.strerror or error}"
            yield Entry(folder, "a folder", problem)
            continue
        waiting += [entry.path for entry in entries if entry.kind == "a folder"]
        yield from (entry for entry in entries if entry.kind != "a folder")


def _scan_folder(folder: Path, root: str | Path) -> list[Entry]:
    descriptor = open_beneath(root, folder)
    try:
        with os.scandir(descriptor) as scan:
            # a dot or an underscore marks a file that another program is still writing
            return [_entry(folder, one) for one in scan if not one.name.startswith((".", "_"))]
    finally:
        os.close(descriptor)


def _entry(folder: Path, one: os.DirEntry[str]) -> Entry:
    path = folder / one.name
    if one.is_symlink():
        return Entry(path, "a symbolic link", _leads_nowhere(one))
    try:
        mode = one.stat(follow_symlinks=False).st_mode
    except OSError:
        return Entry(path)  # gone already: whoever opens it says so
    return Entry(path, kind_of(mode))


def _leads_nowhere(link: os.DirEntry[str]) -> str:
    """Say that a link leads nowhere: it hides events; any other leads out of the folder."""
    try:
        link.stat()
    except OSError:
        return "it is a symbolic link that leads nowhere"
    return ""
