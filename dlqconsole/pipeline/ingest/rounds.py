"""The rounds of one ingest: files are looked through and cut into pieces, those are read, and it is noted."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import orjson

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.pipeline.running.terminal import NO_EVENTS, NO_NEW, Terminal
from dlqconsole.pipeline.sink.batches import Tally
from dlqconsole.pipeline.sink.work import RunWork
from dlqconsole.pipeline.sources.folder import Folder
from dlqconsole.pipeline.sources.survey import FileSurvey, Request
from dlqconsole.processing.inputs.sentences import stored

from .ledger import Ledger
from .reading import read_piece

DONE_BEFORE = stored("{files_sentence} done before")
NOT_READ, LEFT_ALONE = (
    stored("{files_sentence} not read ({names})"),
    stored("{files_sentence} left alone ({names})"),
)
LOOKING, READING_FILES = stored("looking through {files_sentence}"), stored("reading {files_sentence}")

# the function of each value, in this order, wherever it is computed
type Compute = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]
_MOST_NAMED = 5


class FileNotes:
    """Collects what is said of files, and says each thing once."""

    def __init__(self, run: Run, terminal: Terminal) -> None:
        self._run, self._terminal = run, terminal
        self._left_alone: list[str] = []
        self._not_read: list[str] = []
        self._done_before = 0

    def left_alone(self, sentences: list[str]) -> None:
        """Note files that nobody wanted read: links, tables, notes."""
        self._terminal.say_left_alone(sentences)
        self._left_alone += sentences
        self._count("files_left_alone", len(sentences))

    def not_read(self, name: str, problem: str) -> None:
        """Note a file that should have been read; there is a dead letter of it."""
        self._terminal.say(f"ingest: not read: {name}: {problem}")
        self._not_read.append(f"{name}: {problem}")
        self._count("files_not_read", 1)

    def done_before(self, files: int) -> None:
        """Note how many files the ledger says are done."""
        self._done_before += files
        self._count("files_done_before", files)

    def trouble(self, sentence: str) -> None:
        """Say what keeps us from looking at all."""
        self._terminal.say(f"ingest: {sentence}")
        self._run.describe(sentence)

    def none_in(self, source: str) -> str:
        """The sentence that there are no events, or no new ones where others were."""
        return (NO_NEW if self._done_before else NO_EVENTS).format(source=source)

    @property
    def sentence(self) -> str:
        """All of it, for the end of the run; empty when there is nothing to say."""
        number = self._done_before
        parts = [DONE_BEFORE.format(files_sentence=_files(number))] if number else []
        parts += _name_files(NOT_READ, self._not_read) + _name_files(LEFT_ALONE, self._left_alone)
        return "; ".join(parts)

    def _count(self, name: str, files: int) -> None:
        if files:
            self._run.add(0, orjson.dumps({name: files}).decode())


def _name_files(words: str, sentences: list[str]) -> list[str]:
    if not sentences:
        return []
    more = len(sentences) - _MOST_NAMED
    names = ", ".join(sentences[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    return [words.format(files_sentence=_files(len(sentences)), names=names)]


def _files(number: int) -> str:
    return stored("1 file") if number == 1 else stored("{number:,} files").format(number=number)


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
        files = _files(len(requests))
        began = time.time_ns()
        self._run.describe(LOOKING.format(files_sentence=files))
        surveys: list[FileSurvey] = self._compute(Request.look, requests)
        self._run.describe(
            READING_FILES.format(files_sentence=files),
            sum(piece.lines for one in surveys for piece in one.pieces),
        )
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
