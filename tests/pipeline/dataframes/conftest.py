"""One session for the tests of data frames, on the Spark that all tests share."""

from collections.abc import Iterator

import pytest

from tests.kafka_broker import broker  # noqa: F401 - a fixture
from tests.pipeline.conftest import HANDLERS, database_url_as_url


@pytest.fixture
def session(spark, database_url, monkeypatch) -> Iterator[object]:
    """A user's SparkSession; what they say by the environment is in theirs."""
    from pyspark.sql import SparkSession

    monkeypatch.setenv("DATABASE_URL", database_url_as_url(database_url))
    monkeypatch.setenv("DLQ_HANDLERS", HANDLERS)
    return SparkSession.builder.getOrCreate()
