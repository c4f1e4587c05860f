"""The output for the person who started the job: a line every few seconds, and a table at the end."""

import time
from collections.abc import Mapping, Sequence

from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.texts import printable

from .runs import RunProgress

EVERY_SECONDS = 3.0
MOST_LEFT_ALONE = 20
STARTING_SPARK = stored("starting Spark")
WATCHING = stored("watching {source}")
NO_NEW, NO_EVENTS = stored("no new events in {source}"), stored("no events in {source}")
EVENTS = stored("{done:,} of {total:,} events")
LETTERS = stored("{done:,} of {total:,} dead letters")
SHARE = stored("{done_sentence} ({percent:d} %)")
ENRICHED = stored("{number:,} enriched")
DEAD = stored("{number:,} dead letters")
UNCHANGED = stored("{number:,} unchanged")
OTHER_BYTES = stored("{number:,} with other bytes under an id that was there")


class Terminal:
    """Prints the progress of a job."""

    def __init__(self, kind: str, every: float = EVERY_SECONDS) -> None:
        self._kind = kind
        self._every = every
        self._before = (time.monotonic(), 0)

    def say(self, words: str) -> None:
        """Print what we have to say, at once. Names in it come from data: they do nothing to the terminal."""
        print("\n".join(map(printable, words.split("\n"))), flush=True)

    def say_left_alone(self, sentences: Sequence[str]) -> None:
        """Say which files are not read, and why."""
        for sentence in sentences[:MOST_LEFT_ALONE]:
            self.say(printable(f"{self._kind}: left alone: {sentence}"))
        if len(sentences) > MOST_LEFT_ALONE:
            self.say(f"{self._kind}: left alone: {len(sentences) - MOST_LEFT_ALONE:,} more of that kind")

    def show(self, progress: RunProgress) -> None:
        """Print where we are, when it is time and there is something new."""
        now = time.monotonic()
        since, before = self._before
        if now - since < self._every or progress.done_count == before:
            return
        self._before = (now, progress.done_count)
        self.say(
            f"{progress_line(self._kind, progress)}, {(progress.done_count - before) / (now - since):,.0f}/s"
        )


def progress_line(kind: str, progress: RunProgress) -> str:
    """ingest: 123,456 of 366,213 events (34 %), 100,001 enriched, 23,455 dead letters"""
    counts = progress.counts
    words = EVENTS if "enriched" in counts or not counts else LETTERS
    line = f"{kind}: {words.format(done=progress.done_count, total=progress.total)}"
    if progress.total:
        line = SHARE.format(done_sentence=line, percent=100 * progress.done_count // progress.total)
    if not counts:
        return line
    if "enriched" not in counts:
        return ", ".join([line, *(f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items())])
    line = f"{line}, {ENRICHED.format(number=counts.get('enriched', 0))}"
    line = f"{line}, {DEAD.format(number=counts.get('dead_lettered', 0))}"
    same = counts.get("unchanged", 0)
    line = f"{line}, {UNCHANGED.format(number=same)}" if same else line
    other = counts.get("other_bytes", 0)
    return f"{line}, {OTHER_BYTES.format(number=other)}" if other else line


def summary_table(tally: Mapping[tuple[str, str], int]) -> str:
    """Event type, outcome, events: one line each, and their sum."""
    rows = [(printable(kind), outcome, f"{count:,}") for (kind, outcome), count in sorted(tally.items())]
    rows.append(("total", "", f"{sum(tally.values()):,}"))
    return _align([("event type", "outcome", "events"), *rows])


def _align(rows: list[tuple[str, str, str]]) -> str:
    first, second, third = (max(len(row[column]) for row in rows) for column in range(3))
    return "\n".join(f"{a:<{first}}  {b:<{second}}  {c:>{third}}".rstrip() for a, b, c in rows)
