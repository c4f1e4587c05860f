"""What is new under a path: since the last run as the ledger says, since the last look as we remember."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .evidence import is_done, stretches
from .files import SourceFile, look_for_files
from .read_progress import Known, ReadProgress, State, Stretch
from .scan import START, Bookmark
from .survey import Looked, Piece, look_through

# a file that nobody has touched for so long is whole, even without its last line feed
QUIET_SECONDS = 30.0

# what is known of each of these files
type Recall = Callable[[Sequence[tuple[SourceFile, State]]], list[list[Known]]]


@dataclass(frozen=True, slots=True)
class Request:
    """A file to read from a bookmark on; `unfinished` when somebody may still be writing it.

    ``done``: what may be done of it. ``whole``: look from its start on, whatever the bookmark says.
    """

    file: SourceFile
    since: Bookmark = START
    unfinished: bool = False
    state: State | None = None
    done: tuple[Stretch, ...] = ()
    whole: bool = True

    def look(self) -> Looked:
        return look_through(self.file, self.done, self.since, unfinished=self.unfinished, whole=self.whole)

    def pieces(self) -> list[Piece]:
        return self.look().pieces


@dataclass(frozen=True, slots=True)
class _Seen:
    state: State | None
    bookmark: Bookmark
    finished: bool
    # of the last look from the start on
    progress: ReadProgress | None = None


def nothing_known(files: Sequence[tuple[SourceFile, State]]) -> list[list[Known]]:
    """Of a folder that nobody has read before."""
    return [[] for _ in files]


class Folder:
    """Tells which files under a path are to be read, and remembers how far each has been."""

    def __init__(self, source: str, recall: Recall = nothing_known, within: str = "") -> None:
        self._source, self._recall, self._within = source, recall, within
        self._seen: dict[str, _Seen] = {}
        self._by_inode: dict[int, Known] = {}
        self._said: set[str] = set()
        # what the last look left alone and no look before
        self.left_alone: list[str] = []
        self._done_before = 0

    def everything(self) -> list[Request]:
        """What is there and not done, as it is now: nobody is waited for. Raises BadRequest."""
        return self._requests(self._look(), None)

    def news(self, now: float) -> list[Request]:
        """What has come or grown. `now` is the clock that the files' times are on. Raises BadRequest."""
        return self._requests(self._look(), now)

    def take_done_before(self) -> int:
        """How many files were done before anybody here had read them, since this was asked last."""
        count, self._done_before = self._done_before, 0
        return count

    def remember(self, request: Request, looked: Looked) -> None:
        """This has been read."""
        bookmark = request.since
        if looked.pieces and looked.pieces[-1].end is not None:
            last = looked.pieces[-1]
            lines = last.first_line - 1 + last.lines
            bookmark = Bookmark(last.end or 0, lines, last.start, last.check)
        before = self._seen.get(request.file.path)
        progress = looked.progress or (before.progress if before else None)
        if looked.progress and not looked.pieces:
            bookmark = Bookmark(progress.stretch.end, progress.stretch.lines) if progress else bookmark
        self._seen[request.file.path] = _Seen(request.state, bookmark, not request.unfinished, progress)
        if progress and request.state:  # should it turn up under another name
            known = Known(request.file.name, request.state, False, progress.stretch)
            self._by_inode[request.state.inode] = known

    def forget(self, request: Request) -> None:
        """It could not be read as it was looked through: the next look is as if it were the first."""
        self._seen.pop(request.file.path, None)

    def _look(self) -> list[SourceFile]:
        found = look_for_files(self._source, self._within)
        self.left_alone = [each for each in found.left_alone if each not in self._said]
        self._said.update(self.left_alone)
        return found.files

    def _requests(self, files: list[SourceFile], now: float | None) -> list[Request]:
        """``now`` is None where nobody is waited for."""
        found: list[Request] = []
        unknown: list[tuple[SourceFile, State]] = []
        for file in files:
            state = _state(file)
            if state is None:
                found += self._without_state(file, now)
            elif request := self._from_memory(file, state, now):
                found.append(request)
            elif file.path not in self._seen:
                unknown.append((file, state))
        for (file, state), known in zip(unknown, self._recall(unknown), strict=True):
            ours = self._by_inode.get(state.inode)
            found += self._from_ledger(file, state, [*known, *([ours] if ours else [])], now)
        return found

    def _without_state(self, file: SourceFile, now: float | None) -> list[Request]:
        """It cannot be looked at; once is enough to say so. A watcher meets it again, or never."""
        if file.path in self._seen or (now is not None and not file.problem):
            return []
        return [Request(file)]

    def _from_memory(self, file: SourceFile, state: State, now: float | None) -> Request | None:
        seen = self._seen.get(file.path)
        if seen is None:
            return None
        unfinished = _may_grow(state, now)
        if seen.state == state and (seen.finished or unfinished):
            return None
        if (
            seen.state is None
            or seen.state.inode != state.inode
            or not 0 < seen.bookmark.offset <= state.size
        ):
            del self._seen[file.path]  # another file, or not read by us: the ledger may know it
            return None
        so_far = seen.progress.stretch.end if seen.progress else 0
        # from time to time from the start on, so that the ledger hears of it, too
        whole = not unfinished or state.size > 2 * so_far
        known = seen.progress.file if seen.progress else file
        return Request(known, seen.bookmark, unfinished, state, _stretch_of(seen.progress), whole)

    def _from_ledger(
        self, file: SourceFile, state: State, known: Sequence[Known], now: float | None
    ) -> list[Request]:
        unfinished = _may_grow(state, now)
        if is_done(file, state, known):
            self._done_before += 1
            self._seen[file.path] = _Seen(state, Bookmark(), True)
            return []
        return [Request(file, START, unfinished, state, stretches(file, state, known))]


def _state(file: SourceFile) -> State | None:
    try:
        return None if file.problem else State.of(os.lstat(file.path))
    except OSError:
        return None


def _may_grow(state: State, now: float | None) -> bool:
    return now is not None and now - state.modified_ns / 1e9 < QUIET_SECONDS


def _stretch_of(progress: ReadProgress | None) -> tuple[Stretch, ...]:
    return (progress.stretch,) if progress else ()
