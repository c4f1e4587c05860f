"""The run of a streaming query, found by its tasks: its writer hears of no beginning and of no end."""

from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.pipeline.sql import sql

from .handlers import KIND

# Spark's own names; the query's stays the same as long as its checkpoint does
QUERY = "sql.streaming.queryId"


def run_of_query(database_url: str, subject: str) -> int:
    """The run of the query that this task belongs to: the one it had, or a new one for all its tasks."""
    subject = f"{subject} (stream {_query()})"
    with connect(database_url, "run", autocommit=False) as connection:
        connection.execute(sql("dataframes.one_at_a_time"), {"subject": subject})
        row = connection.execute(
            sql("dataframes.resume_query"), {"kind": KIND, "subject": subject}
        ).fetchone()
        if row is not None:
            return int(row[0])
        run = Run.begin(database_url, KIND, subject)
        run.close()
    return run.id


def end_run(database_url: str, run_id: int, status: str, words: str) -> None:
    """Write the last word, until its next batch."""
    run = Run.resume(database_url, run_id)
    try:
        run.finish(status, words)
    finally:
        run.close()


def _query() -> str:
    from pyspark import TaskContext

    task = TaskContext.get()
    return (task and task.getLocalProperty(QUERY)) or "without a name"
