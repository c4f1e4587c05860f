"""An operation's items as the parts of a Spark job."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from psycopg import Connection

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.core.sql import sql as core_sql
from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.settings import Settings
from dlqconsole.pipeline.sink.work import what_is_missing
from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.handlers import load_handlers
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.quantities import named
from dlqconsole.processing.texts import one_line

from .jobs import StopSignal, run_job
from .runs import Run, record_run
from .session import spark_context
from .terminal import STARTING_SPARK, Terminal, progress_line

NOTHING_REMAINS = stored("nothing remains")
ONE_WITHOUT_HANDLER = stored("{event_types} has no handler in DLQ_HANDLERS of this process")
MORE_WITHOUT_HANDLER = stored("{event_types} have no handler in DLQ_HANDLERS of this process")

# items of a task at most: a worker that dies has so many looked at again; at least: each task costs a moment
MOST_ITEMS, FEWEST_ITEMS = 5_000, 100
# little is cut into so many tasks, too: its handlers may be slow, and no worker is to stand idle
PARTS = 8
# at the end: items whose reason is looked up, event types that are named, and the length of a name
ASKED, NAMED, NAME_LIMIT = 10_000, 3, 80


@dataclass(frozen=True, slots=True)
class ItemRange:
    """The items from one dead letter to another, both included."""

    first: int
    last: int
    items: int


def check_operation(settings: Settings, kind: str, operation: int) -> None:
    """Raise BadRequest where handlers lack something here, or there is no such operation to work on."""
    if not settings.handlers:
        raise BadRequest("DLQ_HANDLERS is not set: name the modules that declare your handlers")
    if problem := what_is_missing(settings.handlers):
        raise BadRequest(problem)
    with closing(connect(settings.database_url, kind)) as connection:
        row = connection.execute(sql("items.operation"), {"operation": operation}).fetchone()
    if row is None or row[0] != kind:
        raise BadRequest(f"there is no {kind} {operation}: ask for one with {PROGRAM} deadletters {kind}")
    if row[1] != "running":
        raise BadRequest(f"operation {operation} is {row[1]}: there is nothing to work on")


def work_on(
    settings: Settings,
    kind: str,
    operation: int,
    work: Callable[[Run, Sequence[ItemRange], StopSignal, Terminal], None],
) -> int:
    """Have what remains of an operation worked on, as a run of its own. The exit status."""
    check_operation(settings, kind, operation)
    terminal, stop = Terminal(kind), StopSignal()
    with stop.listening(), record_run(settings, kind, f"operation {operation}", "dead letters") as run:
        parts = ranges(settings, kind, operation)
        if parts:
            work(run, parts, stop, terminal)
        run.beat()
        line = progress_line(kind, run.progress) if parts else f"{kind}: {NOTHING_REMAINS}"
        line += unhandled_words(settings, kind, operation) if parts else ""
        run.finish("completed", line.removeprefix(f"{kind}: "))
        terminal.say(line)
    return 0


def ranges(settings: Settings, name: str, operation: int) -> list[ItemRange]:
    """The items that remain."""
    values = {"operation": operation, "parts": PARTS, "fewest": FEWEST_ITEMS, "most": MOST_ITEMS}
    with closing(connect(settings.database_url, name)) as connection:
        return [ItemRange(*row) for row in connection.execute(sql("items.ranges"), values)]


def unhandled_words(settings: Settings, name: str, operation: int) -> str:
    """Name the event types that remain because this process cannot handle them; else return ""."""
    values = {"operation": operation, "handled": list(load_handlers(settings.handlers).event_types)}
    with closing(connect(settings.database_url, name)) as connection:
        rows = connection.execute(sql("items.unhandled"), values | {"limit": ASKED}).fetchall()
    if not rows:
        return ""
    types = named([one_line(event_type, NAME_LIMIT) for (event_type,) in rows], NAMED)
    words = ONE_WITHOUT_HANDLER if len(rows) == 1 else MORE_WITHOUT_HANDLER
    return f"; {words.format(event_types=types)}"


def settle(connection: Connection, operation: int, items: Sequence[tuple[int, str, str]]) -> None:
    """Record the result of items: the dead letter, "done", "failed" or "skipped", and the reason.

    In the caller's transaction, with the operation's counts.
    """
    if not items:
        return
    ids, statuses, reasons = (list(column) for column in zip(*items, strict=True))
    lease = {"id": operation, "token": None, "lease": 0.0}
    outcomes = {"ids": ids, "statuses": statuses, "reasons": reasons}
    [(_ours, numbers)] = connection.execute(core_sql("items.settle").encode(), lease | outcomes).fetchall()
    connection.execute(core_sql("items.note").encode(), lease | {"settled": numbers})


def in_spark(
    settings: Settings,
    run: Run,
    parts: Sequence[ItemRange],
    stop: StopSignal,
    terminal: Terminal,
    doing: tuple[str, str],
    work: Callable[[ItemRange], int],
    rest: tuple[ItemRange, Callable[[ItemRange], int]] | None = None,
) -> None:
    """Have Spark's workers do each part. ``doing``: the command, and a sentence about it.

    ``rest``: what one of them does when all parts are done.
    """
    name, sentence = doing
    run.describe(STARTING_SPARK)
    with spark_context(settings, name, stop.check, has_sql=False) as context:
        run.describe(sentence, sum(part.items for part in parts))
        spread = context.parallelize(parts, len(parts))
        run_job(context, run, stop, terminal, spread.map(work).collect)
        if rest:
            part, again = rest
            run_job(context, run, stop, terminal, context.parallelize([part], 1).map(again).collect)
