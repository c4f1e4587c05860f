"""python -m tests.pipeline.kafka.drain SERVERS TOPIC RUN: ingest a topic as a worker does, without Spark."""

import os
import sys

from dlqconsole.pipeline.kafka.client import Cluster
from dlqconsole.pipeline.kafka.items import Destinations
from dlqconsole.pipeline.kafka.options import read_options
from dlqconsole.pipeline.kafka.planning import Planning
from dlqconsole.pipeline.kafka.worker import TopicWork, ingest_range
from dlqconsole.pipeline.sink.work import RunWork
from dlqconsole.processing.limits import DEFAULT_LIMITS


def main(servers: str, topic: str, run_id: str) -> None:
    given = {"kafka.bootstrap.servers": servers, "subscribe": topic, "maxOffsetsPerTrigger": "4000"}
    options, database_url = read_options(given), os.environ["DATABASE_URL"]
    cluster = Cluster(options.client)
    planning = Planning(cluster, options, database_url, once=True)
    work = RunWork(database_url, int(run_id), os.environ["DLQ_HANDLERS"], DEFAULT_LIMITS, 30, 60)
    given_work = TopicWork(work, options, cluster.name, Destinations())
    while ranges := planning.next_round():
        for each in ranges:
            ingest_range(given_work, each)
            print(each.end, flush=True)
        planning.done(ranges)


if __name__ == "__main__":
    main(*sys.argv[1:])
