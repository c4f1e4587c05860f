"""docs/queue.md shows a worker as it is in examples/, and names every function that one may call."""

import re

from dlqconsole.engine.grants.rights import CONSUMER, PRODUCER
from tests.languages.toolchains import CHECKOUT, EXAMPLES

SECTION = (CHECKOUT / "docs/queue.md").read_text().split("### In another language")[1].split("\n## ")[0]
# by name, what follows it in the cell
NAMED = dict(re.findall(r"`(queue_\w+)[^`]*`((?: [PO])?)(?= \||, `)", SECTION))


def test_the_worker_is_the_one_of_the_examples():
    [shown] = re.findall(r"```js\n(.*?)```", SECTION, re.DOTALL)
    assert shown == (EXAMPLES / "node/worker.mjs").read_text()


def test_workers_are_short():
    for worker in ("node/worker.mjs", "psql/worker.sql"):
        assert len((EXAMPLES / worker).read_text().splitlines()) <= 20


def test_each_function_of_a_consumer_is_named():
    named = {name for name, who in NAMED.items() if who != " O"}
    assert named == {name for name in CONSUMER.functions if name.startswith("queue_")}
    assert {*PRODUCER.functions} == {"queue_send", "queue_send_many", "queue_send_topic"}
