"""Notes on files that were not read: on the terminal, in the run's counts and in its last sentence."""

import orjson

from dlqconsole.pipeline.running.runs import Run
from dlqconsole.pipeline.running.terminal import Terminal

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

    @property
    def new(self) -> str:
        """A word for events that are not there, where others were."""
        return "new " if self._done_before else ""

    @property
    def sentence(self) -> str:
        """All of it, for the end of the run; empty when there is nothing to say."""
        parts = [f"{_files(self._done_before)} done before"] if self._done_before else []
        parts += _name_files("not read", self._not_read) + _name_files("left alone", self._left_alone)
        return "; ".join(parts)

    def _count(self, name: str, files: int) -> None:
        if files:
            self._run.add(0, orjson.dumps({name: files}).decode())


def _name_files(what: str, sentences: list[str]) -> list[str]:
    if not sentences:
        return []
    more = len(sentences) - _MOST_NAMED
    names = ", ".join(sentences[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    return [f"{_files(len(sentences))} {what} ({names})"]


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"
