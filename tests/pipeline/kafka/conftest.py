"""A broker, and ingest of its topics in this process."""

from collections import Counter
from collections.abc import Callable

import pytest

from dlqconsole.pipeline.kafka.client import Cluster
from dlqconsole.pipeline.kafka.items import Destinations
from dlqconsole.pipeline.kafka.options import read_options
from dlqconsole.pipeline.kafka.planning import Planning
from dlqconsole.pipeline.kafka.worker import TopicWork, ingest_range
from tests.kafka_broker import broker  # noqa: F401 - a fixture


@pytest.fixture
def options_for(broker):  # noqa: F811
    """options_for("orders", failOnDataLoss="false") as a person gives them."""

    def make(topic: str, **given: str):
        return read_options({"kafka.bootstrap.servers": broker.servers, "subscribe": topic, **given})

    return make


@pytest.fixture
def ingest_topic(options_for, make_work, database_url) -> Callable[..., Counter]:
    """ingest_topic("orders") reads what is there, without Spark; outcome → events."""

    def run(topic: str, revive_to: str = "retry", **given: str) -> Counter:
        options, total = options_for(topic, **given), Counter()
        with Cluster(options.client) as cluster:
            planning = Planning(cluster, options, database_url, once=True)
            to = Destinations(revive_to, frozenset(cluster.topics()))
            work = TopicWork(make_work(), options, cluster.name, to)
            while ranges := planning.next_round():
                for each in ranges:
                    tally, lost = ingest_range(work, each)
                    total.update({outcome: number for (_type, outcome), number in tally.items()})
                    total.update({"lost": each.lost_count + lost} if each.lost_count + lost else {})
                planning.done(ranges)
        run.lost = planning.lost
        return total

    return run
