"""Which files a source path names, and in which order they are read."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from dlqconsole.pipeline.errors import BadRequest

ENDINGS = (".jsonl", ".ndjson", ".json", ".gz")
# source and source_key together are a key in PostgreSQL; a path may be longer than that allows
NAME_LIMIT = 400


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read, and the name it goes by: its path inside the folder that was asked for."""

    path: str
    name: str

    @property
    def source(self) -> str:
        """Who the events are that name no source of their own."""
        if len(self.name) <= NAME_LIMIT:
            return f"file:{self.name}"
        digest = sha256(self.name.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return f"file:{digest}…{self.name[-NAME_LIMIT // 2 :]}"

    @property
    def stem(self) -> str:
        """The type of events that name none: the file's name up to its first dot, as a queue's would be."""
        return Path(self.name).name.partition(".")[0][:255] or "events"


def find_files(source: str) -> list[SourceFile]:
    """The files under a path, by name. Raises BadRequest when there is nothing there to read."""
    path = Path(source)
    try:
        if path.is_dir():
            return [_readable(file, path) for file in sorted(_within(path))]
        if path.exists():
            return [_readable(path, path.parent)]
    except PermissionError as error:
        raise BadRequest(f"no permission to read {error.filename}") from error
    raise BadRequest(f"there is no file or folder {source}")


def _within(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise error

    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in names:
            # what other programs are still writing hides behind a dot or an underscore
            if name.endswith(ENDINGS) and not name.startswith((".", "_")):
                yield Path(parent, name)


def _readable(file: Path, folder: Path) -> SourceFile:
    if not os.access(file, os.R_OK):
        raise BadRequest(f"no permission to read {file}")
    name = os.fsencode(file.relative_to(folder)).decode("utf-8", "replace")
    return SourceFile(str(file.absolute()), name)
