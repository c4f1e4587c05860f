"""The doors of any Spark job: ``python -m tests.bench.pipeline.doors frame | stream | format FOLDER``."""

import sys
import tempfile
from typing import Any

from dlqconsole.pipeline.running.session import spark_context
from dlqconsole.pipeline.settings import read_settings
from dlqconsole.spark import register, run_handlers

# of the files' bytes in one partition: some tens of thousands of events
PARTITION = str(16 * 1024 * 1024)


def frame(spark: Any, folder: str) -> None:
    """A DataFrame."""
    run_handlers(spark.read.text(folder))


def stream(spark: Any, folder: str) -> None:
    """A stream, batch by batch."""
    with tempfile.TemporaryDirectory() as checkpoint:
        writing = spark.readStream.text(folder).writeStream.foreachBatch(run_handlers())
        writing.option("checkpointLocation", checkpoint).trigger(availableNow=True).start().awaitTermination()


def write(spark: Any, folder: str) -> None:
    """A DataFrame, written to a format."""
    register(spark)
    spark.read.text(folder).write.format("dlqconsole").mode("append").save()


DOORS = {"frame": frame, "stream": stream, "format": write}


def main(door: str, folder: str) -> None:
    """Bring the folder in."""
    from pyspark.sql import SparkSession

    with spark_context(read_settings(), "ingest", has_sql=False):
        spark = SparkSession.builder.getOrCreate()
        spark.conf.set("spark.sql.files.maxPartitionBytes", PARTITION)
        DOORS[door](spark, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
