"""The examples of docs/pipeline.md for a Spark user, run as they stand there, one block after the other.

In `make test` most blocks are only looked at: the tests beside this one do what they do.
"""

import ast
import inspect
import re
from pathlib import Path

import pytest

from dlqconsole import spark
from tests.pipeline.kafka.test_dialects import share, spring
from tests.sizes import SOAK

TEXT = (Path(__file__).parents[3] / "docs/pipeline.md").read_text()
SECTION = TEXT.partition("## From your own Spark job")[2].partition("\n## ")[0]
TOPICS = TEXT.partition("## Kafka")[2].partition("\n## ")[0]
ORDERS = [(1, "EUR", 9.5), (2, "EUR", -1.0), (3, "GBP", 2.0)]


def test_each_block_names_what_is_there_as_it_can_be_called():
    called = set()
    for node in ast.walk(ast.parse("\n".join(blocks_of(SECTION + TOPICS)))):
        if isinstance(node, ast.ImportFrom):
            assert node.module in ("dlqconsole.spark", "dlqconsole.contrib.rehearsals.spark")
            assert {alias.name for alias in node.names} <= {*spark.__all__, "rehearse_handlers"}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and hasattr(spark, node.func.id):
            called.add(node.func.id)
            options = {option.arg: None for option in node.keywords}
            inspect.signature(getattr(spark, node.func.id)).bind(*node.args, **options)
    assert {"run_handlers", "register", "expect_or_dead_letter", "fixed_rows"} <= called


@pytest.mark.spark
@pytest.mark.sized
@pytest.mark.django_db(transaction=True)
def each_block_does_what_is_said_of_it(session, rows, tmp_path, capsys):
    orders = session.createDataFrame(ORDERS, "id long, currency string, price double")
    orders.write.parquet(f"{tmp_path}/orders")
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines" / "a.txt").write_text('{"order_id": 4}\n{"order_id": 5}\n{"do": "business"}')
    names = {"spark": session, "inbox": str(tmp_path)}
    blocks = blocks_of(SECTION)
    assert len(blocks) == 6
    for block in blocks[:5]:
        exec(block, names)  # noqa: S102 - our own document
    said = capsys.readouterr().out
    assert "order.created  enriched       3" in said
    assert "|succeed|         NULL|    3|" in said
    counted = rows("SELECT source, count(*) AS n FROM enriched_events GROUP BY 1 ORDER BY 1")
    assert counted == [{"source": "shop:lines", "n": 2}, {"source": "shop:orders", "n": 3}]
    assert [row.id for row in session.read.parquet(f"{tmp_path}/good").collect()] == [1]
    mended = "UPDATE dlq_events SET payload_raw = NULL, payload = payload || '{\"price\": 1}'"
    rows(f"{mended} WHERE queue = 'orders' AND source_key = '2'")
    rows("SELECT dead_letter_revive(id) FROM dlq_events WHERE queue = 'orders'")
    exec(blocks[5], names)  # noqa: S102 - our own document
    assert sorted(row.id for row in session.read.parquet(f"{tmp_path}/good").collect()) == [1, 2]
    ended = rows("SELECT source_key, status FROM dlq_events WHERE queue = 'orders' ORDER BY 1")
    assert [row["status"] for row in ended] == ["SUCCEEDED", "PENDING"]


if SOAK:

    @pytest.mark.spark
    @pytest.mark.django_db(transaction=True)
    def test_the_block_about_topics_reads_dead_letters_of_others_too(session, rows, broker, tmp_path):
        """As the ingest of topics does: what fails again is its dead letter's, a tombstone is no event."""
        for topic in ("orders", "orders.DLT"):
            broker.make(topic)
        broker.put("orders", '{"order_id": 1}', [("ce_type", b"order.created")])
        broker.put("orders", None, key=b"gone")
        broker.put("orders.DLT", b"\x00\x07", spring("orders"), key=b"k1", partition=1)
        broker.put("orders.DLT", None, share("orders", b"18"), partition=2)
        event = '{"specversion": "1.0", "id": "e1", "source": "/shop", "type": "order.created"}'
        for offset in (19, 20):  # the second is one occurrence more
            broker.put("orders.DLT", event, spring("orders", offset))
            broker.settle()
            [block] = blocks_of(TOPICS)
            exec(block, {"spark": session, "inbox": str(tmp_path), "servers": broker.servers})  # noqa: S102
        assert rows("SELECT source, source_key FROM enriched_events") == [
            {"source": "kafka:orders", "source_key": "0-0"}
        ]
        letters = rows("SELECT * FROM dlq_events ORDER BY source_key")
        assert [(row["source_key"], row["occurrences"], row["error_class"]) for row in letters] == [
            ("3-17", 1, "com.acme.Orders.AirportUnknown"),
            ("3-18", 1, "DeliveriesExhausted"),
            ("e1", 2, "com.acme.Orders.AirportUnknown"),
        ]
        assert {row["queue"] for row in letters} == {"kafka:orders-retry"}
        assert bytes(letters[0]["payload_raw"]) == b"\x00\x07"
        assert letters[0]["headers"]["dlq_record"] == "kafka:orders.DLT/1-0"


def blocks_of(section: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def test_nothing_needs_more_than_spark_connect_has():
    """It has no SparkContext and no RDD."""
    for module in Path(__file__).parents[3].glob("dlqconsole/pipeline/dataframes/*.py"):
        assert not re.search(r"sparkContext|SparkContext|\.rdd\b|_jdf|_jvm|_sc\b", module.read_text()), module


if SOAK:
    test_each_block_does_what_is_said_of_it = each_block_does_what_is_said_of_it
