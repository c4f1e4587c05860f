"""Ingest: every line of every file becomes an enriched event or a dead letter, once.

The driver hands out pieces of files; workers read, handle and store them. What is done is in the
tables themselves, committed with the rows it counts: there is no checkpoint to lose. A ledger of
files saves a restart the time to find that out.
"""

from collections.abc import Callable
from functools import partial

from dlqconsole.pipeline.intake import Workers, check_handlers
from dlqconsole.pipeline.running.jobs import StopSignal
from dlqconsole.pipeline.running.runs import Run, record_run
from dlqconsole.pipeline.running.terminal import WATCHING, Terminal, progress_line, summary_table
from dlqconsole.pipeline.settings import Settings
from dlqconsole.pipeline.sink.batches import Tally
from dlqconsole.pipeline.sink.work import work_of
from dlqconsole.pipeline.sources.files import look_for_files
from dlqconsole.pipeline.sources.folder import Folder

from .ledger import Ledger
from .rounds import Compute, FileNotes, Rounds

LOOK_SECONDS = 2.0


def ingest(settings: Settings, source: str, *, once: bool, again: bool = False, within: str = "") -> int:
    """Read a file or a folder; without `once` go on watching it. The exit status.

    ``again``: also what the ledger says is done. ``within``: the folder that no link leads out of.
    """
    check_handlers(settings)
    look_for_files(source, within)
    terminal, stop = Terminal("ingest"), StopSignal()
    with stop.listening(), record_run(settings, "ingest", source) as run:
        notes, ledger = FileNotes(run, terminal), Ledger(settings.database_url, run.id, again=again)
        work = work_of(settings, run.id)
        make_rounds = partial(Rounds, Folder(source, ledger.recall, within), work, run, ledger, notes)
        workers = Workers(settings, None if settings.on_this_machine else work, run, stop, terminal)
        tally = _once(make_rounds, workers) if once else _watch(make_rounds, workers, source)
        return _finish(run, terminal, source, tally, notes)


def _once(make_rounds: Callable[[Compute], Rounds], workers: Workers) -> Tally:
    """Read what is there. Where all is done, Spark is not started."""
    rounds = make_rounds(workers.compute)
    if requests := rounds.everything():
        with workers.running():
            rounds.read(requests)
    return rounds.tally


def _watch(make_rounds: Callable[[Compute], Rounds], workers: Workers, source: str) -> Tally:
    """Read what is there, then what comes, until we are stopped between two rounds."""
    rounds = make_rounds(workers.compute)
    with workers.running():
        while True:
            if requests := rounds.news():
                rounds.read(requests)
                workers.run.describe(WATCHING.format(source=source))
            workers.run.beat()
            if workers.stop.wait(LOOK_SECONDS):
                return rounds.tally


def _finish(run: Run, terminal: Terminal, source: str, tally: Tally, notes: FileNotes) -> int:
    run.beat()
    line = progress_line("ingest", run.progress) if tally else f"ingest: {notes.none_in(source)}"
    line = f"{line}; {notes.sentence}" if notes.sentence else line
    run.finish("completed", line.removeprefix("ingest: "))
    terminal.say(line)
    if tally:
        terminal.say(summary_table(tally))
    return 0
