"""Killed in the middle, again and again: every record is in one of the tables, once."""

import json
import os
import random
import sys
import time

import pytest

from dlqconsole.pipeline.kafka.job import ingest_topics
from tests.pipeline.conftest import HANDLERS, database_url_as_url
from tests.sizes import sized
from tests.starting import Popen

RECORDS, KILLS = sized(8_000, 120_000), sized(2, 20)
TYPE = [("ce_type", b"order.created")]


def fill(broker, topic, records):
    for number in range(records):
        more = {"do": "business"} if number % 10 == 0 else {}
        broker.put(topic, json.dumps({"order_id": number, **more}), TYPE, partition=number % 4)
    broker.settle()


def exactly(rows, topic, records):
    """Each place once: nine of ten enriched, the tenth a dead letter."""
    places = [f"{number % 4}-{number // 4}" for number in range(records)]
    dead = {place for number, place in enumerate(places) if number % 10 == 0}
    query = "SELECT source_key FROM {} WHERE source = %s"
    enriched = [row["source_key"] for row in rows(query.format("enriched_events"), f"kafka:{topic}")]
    letters = [row["source_key"] for row in rows(query.format("dlq_events"), f"kafka:{topic}")]
    assert sorted(letters) == sorted(dead)
    assert sorted(enriched) == sorted(set(places) - dead)


@pytest.mark.faults
@pytest.mark.sized
def test_killed_again_and_again_nothing_is_lost_and_nothing_is_there_twice(
    broker, make_work, database_url, rows
):
    topic = broker.topic()
    fill(broker, topic, RECORDS)
    environment = os.environ | {"DATABASE_URL": database_url_as_url(database_url), "DLQ_HANDLERS": HANDLERS}
    line = [sys.executable, "-m", "tests.pipeline.kafka.drain", broker.servers, topic]
    seen = 0
    for _ in range(KILLS):
        process = Popen([*line, str(make_work().run_id)], env=environment)
        deadline = time.monotonic() + 60
        while (now := done(rows)) <= seen and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(random.random() * 0.05)
        process.kill()
        process.wait()
        seen = now
    assert done(rows) > 0
    assert Popen([*line, str(make_work().run_id)], env=environment).wait(timeout=300) == 0
    exactly(rows, topic, RECORDS)


def done(rows):
    return rows("SELECT (SELECT count(*) FROM enriched_events) + (SELECT count(*) FROM dlq_events) AS n")[0][
        "n"
    ]


@pytest.mark.spark
def test_the_command_reads_the_partitions_side_by_side_in_spark(
    broker, spark, pipeline_settings, rows, capfd
):
    topic, other = broker.topic(), broker.topic()
    fill(broker, topic, 400)
    fill(broker, other, 40)
    address = f"kafka://{broker.servers}/{topic},{other}"
    assert ingest_topics(pipeline_settings, address, {}, once=True) == 0
    exactly(rows, topic, 400)
    exactly(rows, other, 40)
    said = capfd.readouterr().out
    assert "440 of 440 events (100 %), 396 enriched, 44 dead letters" in said
    assert ingest_topics(pipeline_settings, address, {}, once=True) == 0
    assert f"ingest: no new events in {address}" in capfd.readouterr().out
    [first, _second] = rows("SELECT status, subject, counts FROM pipeline_runs ORDER BY id")
    assert (first["status"], first["subject"]) == ("completed", address)
    assert first["counts"] == {"read": 440, "enriched": 396, "dead_lettered": 44, "unchanged": 0, "blank": 0}
