"""What Spark does by itself: handlers in a map, then two appends by batches of INSERTs, as over JDBC.

``python -m tests.bench.pipeline.appends FOLDER``. Not atomic, and a second run doubles every row. It runs the
same handlers, and writes the same columns.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from itertools import batched
from typing import Any

import psycopg

# the JDBC writer's default
BATCH = 1_000
COLUMNS = "failed boolean, type string, source string, id string, body string, reason string, category string"
GOOD = "INSERT INTO enriched_events (event_type, source, source_key, record) VALUES (%s, %s, %s, %s)"
BAD = """INSERT INTO dlq_events (event_type, source, source_key, payload, error_reason, error_category)
    VALUES (%s, %s, %s, %s, %s, %s)"""


def handled(batches: Iterator[Any]) -> Iterator[Any]:
    """Run the handler of each line of each Arrow batch."""
    import pyarrow

    from dlqconsole.processing.events import Event
    from dlqconsole.processing.handlers import load_handlers
    from dlqconsole.processing.limits import DEFAULT_LIMITS
    from dlqconsole.processing.outcomes import Succeeded, attempt
    from dlqconsole.processing.payloads import decode

    handlers = load_handlers(os.environ["DLQ_HANDLERS"])
    names = [column.split()[0] for column in COLUMNS.split(", ")]
    for batch in batches:
        rows = []
        for text in batch.column(0).to_pylist():
            value = decode(text.encode(), DEFAULT_LIMITS).require()
            event = Event.from_payload(value, None, queue="", message_id="")
            outcome = attempt(handlers, event, DEFAULT_LIMITS)
            good = isinstance(outcome, Succeeded)
            body = outcome.record_json if isinstance(outcome, Succeeded) else text
            why = ("", "") if isinstance(outcome, Succeeded) else (outcome.reason, outcome.category)
            rows.append((not good, event.type, event.source, event.id, body, *why))
        columns = [pyarrow.array(column) for column in zip(*rows, strict=True)]
        yield pyarrow.RecordBatch.from_arrays(columns, names)


def append(statement: str, columns: list[str], rows: Iterable[Any]) -> None:
    """One partition: a connection, and batches of INSERTs in one transaction."""
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection, connection.cursor() as cursor:
        for some in batched(rows, BATCH):
            cursor.executemany(statement, [tuple(row[name] for name in columns) for row in some])


def main(folder: str) -> None:
    """Bring the folder in, by two appends from one frame kept in memory."""
    from dlqconsole.pipeline.running.session import spark_context
    from dlqconsole.pipeline.settings import read_settings

    with spark_context(read_settings(), "appends"):
        from pyspark.sql import SparkSession

        frame = SparkSession.builder.getOrCreate().read.text(folder).mapInArrow(handled, COLUMNS).persist()
        good, bad = ["type", "source", "id", "body"], ["type", "source", "id", "body", "reason", "category"]
        frame.where("NOT failed").foreachPartition(lambda rows: append(GOOD, good, rows))
        frame.where("failed").foreachPartition(lambda rows: append(BAD, bad, rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
