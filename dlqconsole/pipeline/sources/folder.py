"""A folder that is watched: what is new in it since the last look.

Only in memory: a watcher that starts anew reads everything again and finds it unchanged.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from .files import SourceFile, look_for_files
from .survey import START, Bookmark, Piece, survey

# a file that nobody has touched for so long is whole, even without its last line feed
QUIET_SECONDS = 30.0

type State = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Request:
    """A file to read from a bookmark on; `unfinished` when somebody may still be writing it."""

    file: SourceFile
    since: Bookmark = START
    unfinished: bool = False
    state: State = (0, 0, 0)

    def pieces(self) -> list[Piece]:
        return survey(self.file, self.since, unfinished=self.unfinished)


@dataclass(frozen=True, slots=True)
class _Seen:
    state: State
    bookmark: Bookmark
    finished: bool


class Folder:
    """Remembers how far each file under a path has been read."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._seen: dict[str, _Seen] = {}
        self._said: set[str] = set()
        # what the last look left alone and no look before
        self.left_alone: list[str] = []

    def news(self, now: float) -> list[Request]:
        """What has come or grown. `now` is the clock that the files' times are on."""
        found = look_for_files(self._source)
        self.left_alone = [each for each in found.left_alone if each not in self._said]
        self._said.update(self.left_alone)
        requests = (self._request(file, now) for file in found.files)
        return [request for request in requests if request]

    def remember(self, request: Request, pieces: Sequence[Piece]) -> None:
        """These pieces of the file have been read."""
        bookmark = request.since
        if pieces and pieces[-1].end is not None:
            last = pieces[-1]
            bookmark = Bookmark(last.end or 0, last.first_line - 1 + last.lines)
        self._seen[request.file.path] = _Seen(request.state, bookmark, not request.unfinished)

    def _request(self, file: SourceFile, now: float) -> Request | None:
        try:
            found = os.lstat(file.path)
        except FileNotFoundError:
            return None  # moved away between the look and this one
        state = (found.st_ino, found.st_size, found.st_mtime_ns)
        unfinished = now - found.st_mtime < QUIET_SECONDS
        seen = self._seen.get(file.path)
        if seen is None:
            return Request(file, START, unfinished, state)
        if seen.state == state and (seen.finished or unfinished):
            return None
        grown = seen.state[0] == state[0] and state[1] >= seen.bookmark.offset
        return Request(file, seen.bookmark if grown else START, unfinished, state)
