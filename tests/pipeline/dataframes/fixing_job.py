"""python -m tests.pipeline.dataframes.fixing_job FOLDER: a Spark job takes fixed rows, says how far it is."""

import os
import subprocess
import sys
from pathlib import Path

from dlqconsole.system.java import find_java
from tests.pipeline.dataframes.standalone import ROOT

SCHEMA = "id bigint, price double"


def main(folder: str) -> None:
    from pyspark.sql import SparkSession

    from dlqconsole.spark import expect_or_dead_letter, fixed_rows

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    with fixed_rows(spark, "prices", schema=SCHEMA) as fixed:
        print("read", flush=True)
        rules = {"not every eighth": "id % 8 <> 0"}
        good = expect_or_dead_letter(fixed.rows, rules, job="prices", key="id")
        print("expected", flush=True)
        good.drop("dlq_message", "dlq_token").write.mode("append").json(f"{folder}/good")
        print("written", flush=True)


def job_of(database_url: str, folder: Path) -> subprocess.Popen:
    """Such a job, running."""
    given = {**os.environ, "DATABASE_URL": database_url, "PYTHONPATH": ROOT, "SPARK_LOCAL_IP": "127.0.0.1"}
    given |= {"PYSPARK_PYTHON": sys.executable, "JAVA_HOME": str(find_java(Path(ROOT) / "java"))}
    line = [sys.executable, "-m", "tests.pipeline.dataframes.fixing_job", str(folder)]
    return subprocess.Popen(line, env=given, stdout=subprocess.PIPE, text=True, cwd=ROOT)


if __name__ == "__main__":
    main(sys.argv[1])
