"""The meaning of a file's name for the events in it."""

import pytest

from dlqconsole.pipeline.sources.names import read_name

READ = {
    "orders.jsonl": "orders",
    "orders.JSONL": "orders",
    "Orders.NDJson.GZ": "Orders",
    "order.created.jsonl": "order.created",
    "order.created.json.zst": "order.created",
    "order.created.v2.jsonl.bz2": "order.created.v2",
    "orders.jsonl.1": "orders",
    "orders.jsonl.2.gz": "orders",
    "orders.jsonl.12.zstd": "orders",
    "orders.1.jsonl": "orders",
    "orders-20261122.jsonl.zst": "orders",
    "orders.jsonl-20261122": "orders",
    "orders.jsonl-20261122.gz": "orders",
    "orders.jsonl.2026-11-22": "orders",
    "orders.jsonl.2026-11-22_13": "orders",
    "orders.jsonl-20261122-1763808000.gz": "orders",
    "order.created_2026-11-22T13-05-59Z.jsonl": "order.created",
    "orders.jsonl-20261122.1": "orders",
    "20261122.jsonl": "20261122",
    "part-00017.jsonl": "part-00017",
    "orders-20261399.jsonl": "orders-20261399",
    "orders.gz": "orders",
    "order.created.gz": "order.created",
    "app.log.gz": "app",
    "notes.txt.gz": "notes",
    "x" * 300 + ".jsonl": "x" * 255,
    "\n.jsonl": "\n",
}


@pytest.mark.parametrize("name", READ, ids=lambda name: repr(name[:40]))
def test_a_name_without_its_known_endings_is_the_type(name):
    found = read_name(name)
    assert (found.event_type, found.refusal) == (READ[name], "")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("flights.csv", "is CSV, which is read as a DataFrame (run_handlers)"),
        ("flights.CSV.gz", "is CSV, which is read as a DataFrame (run_handlers)"),
        ("part-0.snappy.parquet", "is Parquet, which is read as a DataFrame (run_handlers)"),
        ("all.tar.gz", "is not named as JSON lines are"),
        ("notes.txt", "is not named as JSON lines are"),
        ("orders.jsonl.tmp", "is not named as JSON lines are"),
        ("README", "is not named as JSON lines are"),
        ("orders.1", "is not named as JSON lines are"),
    ],
)
def test_other_names_are_not_read_and_say_why(name, why):
    assert read_name(name).refusal == why


def test_a_file_that_is_named_has_the_type_of_its_first_word():
    assert read_name("dump.of.today").event_type == "dump"
