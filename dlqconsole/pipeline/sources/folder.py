"""New files under a path: new since the last run by the ledger, and since the last look by our memory."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .files import SourceFile, look_for_files
from .progress import DiskState, LedgerRecord, ReadProgress, Stretch, is_done, stretches
from .scan import START, Bookmark
from .survey import FileSurvey, Request

# a file that nobody has touched for so long is whole, even without its last line feed
QUIET_SECONDS = 30.0

# the records of each of these files
type Recall = Callable[[Sequence[tuple[SourceFile, DiskState]]], list[list[LedgerRecord]]]


@dataclass(frozen=True, slots=True)
class _Memory:
    state: DiskState | None
    bookmark: Bookmark
    is_whole: bool
    # of the last look from the start on
    progress: ReadProgress | None = None


def nothing_known(files: Sequence[tuple[SourceFile, DiskState]]) -> list[list[LedgerRecord]]:
    """Return no records, as for a folder that nobody has read before."""
    return [[] for _ in files]


class Folder:
    """Tells which files under a path are to be read, and remembers how far each has been."""

    def __init__(self, source: str, recall: Recall = nothing_known, within: str = "") -> None:
        self._source, self._recall, self._within = source, recall, within
        self._memories: dict[str, _Memory] = {}
        self._by_inode: dict[int, LedgerRecord] = {}
        self._reported: set[str] = set()
        # files that the last look left alone and no look before
        self.left_alone: list[str] = []
        self._done_before = 0

    def everything(self) -> list[Request]:
        """Return what is there and not done, as it is now: nobody is waited for. Raises BadRequest."""
        return self._requests(self._look(), None)

    def news(self, now: float) -> list[Request]:
        """Return what has come or grown. `now`: the clock that the files' times are on. Raises BadRequest."""
        return self._requests(self._look(), now)

    def take_done_before(self) -> int:
        """Return how many files were done before anybody here had read them, since the last call."""
        count, self._done_before = self._done_before, 0
        return count

    def remember(self, request: Request, survey: FileSurvey) -> None:
        """Note that this has been read."""
        bookmark = request.since
        if survey.pieces and survey.pieces[-1].end is not None:
            last = survey.pieces[-1]
            lines = last.first_line - 1 + last.lines
            bookmark = Bookmark(last.end or 0, lines, last.start, last.check)
        before = self._memories.get(request.file.path)
        progress = survey.progress or (before.progress if before else None)
        if survey.progress and not survey.pieces:
            bookmark = Bookmark(progress.stretch.end, progress.stretch.lines) if progress else bookmark
        self._memories[request.file.path] = _Memory(request.state, bookmark, not request.may_grow, progress)
        if progress and request.state:  # should it turn up under another name
            record = LedgerRecord(request.file.name, request.state, False, progress.stretch)
            self._by_inode[request.state.inode] = record

    def forget(self, request: Request) -> None:
        """Forget a file that could not be read as it was looked through: the next look is like the first."""
        self._memories.pop(request.file.path, None)

    def _look(self) -> list[SourceFile]:
        listing = look_for_files(self._source, self._within)
        self.left_alone = [each for each in listing.left_alone if each not in self._reported]
        self._reported.update(self.left_alone)
        return listing.files

    def _requests(self, files: list[SourceFile], now: float | None) -> list[Request]:
        """``now`` is None where nobody is waited for."""
        requests: list[Request] = []
        unknown: list[tuple[SourceFile, DiskState]] = []
        for file in files:
            state = _state(file)
            if state is None:
                requests += self._without_state(file, now)
            elif request := self._from_memory(file, state, now):
                requests.append(request)
            elif file.path not in self._memories:
                unknown.append((file, state))
        for (file, state), records in zip(unknown, self._recall(unknown), strict=True):
            ours = self._by_inode.get(state.inode)
            requests += self._from_ledger(file, state, [*records, *([ours] if ours else [])], now)
        return requests

    def _without_state(self, file: SourceFile, now: float | None) -> list[Request]:
        """Read a file that cannot be looked at once, to say so. A watcher meets it again, or never."""
        if file.path in self._memories or (now is not None and not file.problem):
            return []
        return [Request(file)]

    def _from_memory(self, file: SourceFile, state: DiskState, now: float | None) -> Request | None:
        memory = self._memories.get(file.path)
        if memory is None:
            return None
        may_grow = _may_grow(state, now)
        if memory.state == state and (memory.is_whole or may_grow):
            return None
        if (
            memory.state is None
            or memory.state.inode != state.inode
            or not 0 < memory.bookmark.offset <= state.size
        ):
            del self._memories[file.path]  # another file, or not read by us: the ledger may know it
            return None
        so_far = memory.progress.stretch.end if memory.progress else 0
        # from time to time from the start on, so that the ledger hears of it, too
        whole = not may_grow or state.size > 2 * so_far
        file_to_read = memory.progress.file if memory.progress else file
        return Request(file_to_read, memory.bookmark, may_grow, state, _stretch_of(memory.progress), whole)

    def _from_ledger(
        self, file: SourceFile, state: DiskState, records: Sequence[LedgerRecord], now: float | None
    ) -> list[Request]:
        may_grow = _may_grow(state, now)
        if is_done(file, state, records):
            self._done_before += 1
            self._memories[file.path] = _Memory(state, Bookmark(), True)
            return []
        return [Request(file, START, may_grow, state, stretches(file, state, records))]


def _state(file: SourceFile) -> DiskState | None:
    try:
        return None if file.problem else DiskState.of(os.lstat(file.path))
    except OSError:
        return None


def _may_grow(state: DiskState, now: float | None) -> bool:
    return now is not None and now - state.modified_ns / 1e9 < QUIET_SECONDS


def _stretch_of(progress: ReadProgress | None) -> tuple[Stretch, ...]:
    return (progress.stretch,) if progress else ()
