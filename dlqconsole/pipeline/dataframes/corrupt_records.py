"""Input that Spark's own readers could not read: corrupt records, rescued data, a folder of bad records."""

from typing import Any

from .quarantine import RowsJob, quarantine_rows

BAD_RECORD = "path string, record string, reason string"


def corrupt_records(
    df: Any,
    *,
    job: str,
    column: str = "_corrupt_record",
    key: str | None = None,
    database_url: str | None = None,
) -> Any:
    """Store the records that a PERMISSIVE reader left in ``column`` as dead letters; return the other rows.

    The schema that was given to the reader has that column. Raises as expect_or_dead_letter does.
    """
    words = "it is not of the schema that it was read with"
    rows_job = RowsJob(job, key=key, payload=column, database_url=database_url)
    return quarantine_rows(df, rows_job, _where_given(column, words), "CorruptRecord").drop(column)


def rescued_data(
    df: Any,
    *,
    job: str,
    column: str = "_rescued_data",
    key: str | None = None,
    database_url: str | None = None,
) -> Any:
    """Store the rows of which a reader rescued some data into ``column``, whole; return the other rows."""
    rows_job = RowsJob(job, key=key, database_url=database_url)
    words = f"the column {column} holds what fits no other"
    return quarantine_rows(df, rows_job, _where_given(column, words), "RescuedData").drop(column)


def bad_records(spark: Any, path: str, *, job: str, database_url: str | None = None) -> None:
    """Store each record of a folder as ``badRecordsPath`` makes it: JSON lines of path, record and reason."""
    from pyspark.sql import functions

    files = spark.read.schema(BAD_RECORD).option("recursiveFileLookup", "true").json(path)
    rows_job = RowsJob(job, payload="record", database_url=database_url)
    why = functions.coalesce("reason", functions.lit("its reader said no reason"))
    quarantine_rows(files, rows_job, functions.array(why), "BadRecord")


def _where_given(column: str, words: str) -> Any:
    from pyspark.sql import functions

    has_value = functions.col(column).isNotNull()
    return functions.when(has_value, functions.array(functions.lit(words))).otherwise(functions.array())
