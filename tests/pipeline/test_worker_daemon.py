"""Spark's Python workers import pyspark as it is installed, with its bytecode; never one of another Spark."""

from pathlib import Path

import py4j
import pyspark
import pytest

from dlqconsole.pipeline.running.worker_daemon import without_archives

INSTALLED = Path(pyspark.__file__).parents[1]
ARCHIVES = INSTALLED / "pyspark/python/lib"


def test_the_archives_of_what_is_installed_are_left_out():
    bridge = str(next(ARCHIVES.glob("py4j-*.zip")))
    places = ["/a/job", str(ARCHIVES / "pyspark.zip"), bridge, "/a/module.zip", str(INSTALLED)]
    assert without_archives(places) == ["/a/job", "/a/module.zip", str(INSTALLED)]


def test_those_of_another_spark_are_kept(tmp_path):
    places = [str(tmp_path / "python/lib/pyspark.zip"), str(INSTALLED)]
    assert without_archives(places) == places


def test_where_no_pyspark_is_installed_there_is_nothing_but_the_archives(tmp_path):
    places = [str(ARCHIVES / "pyspark.zip"), str(tmp_path)]
    assert without_archives(places) == places


@pytest.mark.spark
def test_a_real_worker_does_so(spark):
    def imported(_number):
        import py4j
        import pyspark

        return pyspark.__file__, py4j.__file__

    assert spark.parallelize([1], 1).map(imported).collect() == [(pyspark.__file__, py4j.__file__)]
