"""All calls by Spark Connect: a client that has DataFrames and no SparkContext, and a server beside it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dlqconsole.system.java import find_java
from tests.pipeline.conftest import HANDLERS, database_url_as_url
from tests.pipeline.dataframes.standalone import ROOT
from tests.sizes import SOAK

pytestmark = [pytest.mark.spark, pytest.mark.sized, pytest.mark.django_db(transaction=True)]


def each_door_works_over_connect(database_url, rows, tmp_path):
    given = {**os.environ, "PYTHONPATH": ROOT, "PYSPARK_PYTHON": sys.executable}
    given |= {"DATABASE_URL": database_url_as_url(database_url), "DLQ_HANDLERS": HANDLERS}
    given |= {"SPARK_LOCAL_IP": "127.0.0.1", "JAVA_HOME": str(find_java(Path(ROOT) / "java"))}
    line = [sys.executable, "-m", "tests.pipeline.dataframes.over_connect", str(tmp_path)]
    ended = subprocess.run(line, env=given, cwd=ROOT, capture_output=True, text=True, timeout=500)
    assert ended.returncode == 0, ended.stdout + ended.stderr[-6_000:]
    said = json.loads(ended.stdout.splitlines()[-1])
    assert "option since takes a moment like" in said.pop("refused")
    assert said == {
        "session": "pyspark.sql.connect.session",
        "frame": 8,
        "again": 12,
        "stream": True,
        "read": 3,
        "good": [1],
        "fixed": 0,
    }
    counted = (
        "SELECT (SELECT count(*) FROM enriched_events) AS records, (SELECT count(*) FROM dlq_events) AS dead"
    )
    assert rows(counted) == [{"records": 14, "dead": 6}]


if SOAK:
    test_each_door_works_over_connect = each_door_works_over_connect
