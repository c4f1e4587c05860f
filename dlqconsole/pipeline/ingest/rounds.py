"""The rounds of one ingest: files are looked through and cut into pieces, those are read, and it is noted."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.pipeline.sink.batches import Tally
from dlqconsole.pipeline.sink.work import RunWork
from dlqconsole.pipeline.sources.folder import Folder
from dlqconsole.pipeline.sources.survey import FileSurvey, Request

from .ledger import Ledger
from .notes import FileNotes
from .worker import read_piece

# the function of each value, in this order, wherever it is computed
type Compute = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]


class Rounds:
    """Reads what a folder has to be read. ``compute`` has others do the work."""

    def __init__(
        self, folder: Folder, work: RunWork, run: Run, ledger: Ledger, notes: FileNotes, compute: Compute
    ) -> None:
        self._folder, self._work, self._run = folder, work, run
        self._ledger, self._notes, self._compute = ledger, notes, compute
        self._trouble = ""
        self.tally: Tally = Counter()

    def everything(self) -> list[Request]:
        """Return what there is to read and is not done. Raises BadRequest."""
        requests = self._folder.everything()
        self._say_what_is_not_read()
        return requests

    def news(self) -> list[Request]:
        """Return what has come since. A folder that is away for a while is said once, and waited for."""
        try:
            requests = self._folder.news(time.time())
        except BadRequest as error:
            if str(error) != self._trouble:
                self._notes.trouble(str(error))
            self._trouble = str(error)
            return []
        self._trouble = ""
        self._say_what_is_not_read()
        return requests

    def read(self, requests: Sequence[Request]) -> None:
        """Read these files; what is done is in the ledger, and remembered."""
        files = "1 file" if len(requests) == 1 else f"{len(requests):,} files"
        began = time.time_ns()
        self._run.describe(f"looking through {files}")
        surveys: list[FileSurvey] = self._compute(Request.look, requests)
        self._run.describe(f"reading {files}", sum(piece.lines for one in surveys for piece in one.pieces))
        problems = self._read_pieces(surveys)
        self._ledger.keep(
            [one.progress for one, bad in zip(surveys, problems, strict=True) if one.progress and not bad],
            began,
        )
        for request, survey, bad in zip(requests, surveys, problems, strict=True):
            if bad and not survey.pieces[0].problem:
                self._folder.forget(request)
            else:
                self._folder.remember(request, survey)

    def _read_pieces(self, surveys: Sequence[FileSurvey]) -> list[str]:
        """Read them; return why each of these files was not read to its end, or ""."""
        pieces = [(index, piece) for index, one in enumerate(surveys) for piece in one.pieces]
        # the short ones last: then no worker waits long for another's last piece
        pieces.sort(key=lambda each: each[1].is_short)
        problems = [""] * len(surveys)
        results = self._compute(partial(read_piece, self._work), [piece for _, piece in pieces])
        for (index, piece), one in zip(pieces, results, strict=True):
            self.tally.update(one.tally)
            if one.problem and not problems[index]:
                self._notes.not_read(piece.file.name, one.problem)
                problems[index] = one.problem
        return problems

    def _say_what_is_not_read(self) -> None:
        self._notes.left_alone(self._folder.left_alone)
        self._notes.done_before(self._folder.take_done_before())
