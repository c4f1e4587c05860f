"""Other bytes under a known id are another event, also where the first one succeeded."""

import pytest

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.retries import run
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - a fixture

from .hostile import event

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def records(rows):
    """Of each success: its key without what tells it apart, and what its handler returned."""

    def select() -> list[tuple[str, int]]:
        found = rows("SELECT source_key, record FROM enriched_events ORDER BY id")
        return [(row["source_key"].partition(":")[0], row["record"]["order_id"]) for row in found]

    return select


def test_other_bytes_under_the_id_of_a_success_are_handled_and_kept(ingest_here, rows, records):
    one, two, three = event("1", order_id=1), event("1", order_id=2), event("1", do="business")
    assert ingest_here(one, two, one) == {"enriched": 2, "unchanged": 1}
    assert ingest_here(three, two) == {"PlaneUnknown": 1, "unchanged": 1}
    assert ingest_here(one, two, three) == {"unchanged": 3}
    assert records() == [("1", 1), ("1", 2)]
    [letter] = rows("SELECT * FROM dlq_events")
    assert letter["source_key"].startswith("1:")
    assert (len(letter["source_key"]), letter["same_id_as"]) == (14, None)
    assert letter["headers"]["dlq_same_id"] == "1"
    counted = rows("SELECT counts -> 'other_bytes' AS n FROM pipeline_runs ORDER BY id")
    assert [run["n"] for run in counted] == [1, 1, None]


def test_plain_json_under_a_reused_name_is_told_apart(ingest_here, records):
    """The file of a new day: of six orders one is the same at the same line, and five are new."""
    name = "order.created.jsonl"
    assert ingest_here(*(b'{"order_id": %d}' % n for n in range(6)), name=name) == {"enriched": 6}
    second = [b'{"order_id": %d}' % n for n in (0, 11, 12, 13, 14, 15)]
    assert ingest_here(*second, name=name) == {"enriched": 5, "unchanged": 1}
    assert ingest_here(*second, name=name) == {"unchanged": 6}
    assert [order for _, order in records()] == [0, 1, 2, 3, 4, 5, 11, 12, 13, 14, 15]


def test_an_event_written_otherwise_is_the_same_event(ingest_here):
    begin = b'{"specversion":"1.0","id":"1","source":"shop","type":"order.created","data":'
    again = b'{ "data": {"order_id": 1.5},\t"type": "order.created", "source": "shop", "id": "1",'
    again += b' "specversion": "1.0" }'
    assert ingest_here(begin + b'{"order_id":1.5}}') == {"enriched": 1}
    assert ingest_here(again) == {"unchanged": 1}
    assert ingest_here(again.replace(b"1.5", b"1.25")) == {"enriched": 1}


def test_of_a_success_whose_bytes_nobody_knows_the_id_decides(ingest_here, rows):
    ingest_here(event("1", order_id=1))
    rows("UPDATE enriched_events SET digest = NULL")
    assert ingest_here(event("1", order_id=2)) == {"unchanged": 1}


def test_a_queue_and_a_file_agree_on_what_is_the_same(ingest_here, records, rows):
    """First from the queue, then from a file, and back."""
    bodies = [event("1", order_id=1), event("1", order_id=2), event("1", order_id=2.0)]
    for body in bodies[:2]:
        rows("INSERT INTO message_queue (queue, payload) VALUES ('order.created', %s)", body.decode())
        Consumer(["order.created"]).run(until_empty=True)
    assert records() == [("1", 1), ("1", 2)]
    assert ingest_here(*bodies) == {"unchanged": 2, "enriched": 1}
    rows("INSERT INTO message_queue (queue, payload) VALUES ('order.created', %s)", bodies[2].decode())
    Consumer(["order.created"]).run(until_empty=True)
    assert records() == [("1", 1), ("1", 2), ("1", 2)]


def test_what_was_retried_is_known_by_what_it_brought(ingest_here, rows, tmp_path):
    name = "order.created.jsonl"
    plain = b'{"do": "until", "path": "%s", "order_id": 1}' % str(tmp_path / "there").encode()
    named = event("1", do="until", path=str(tmp_path / "there"), order_id=2)
    assert ingest_here(plain, named, name=name) == {"BillingAway": 2}
    (tmp_path / "there").touch()
    rows("UPDATE dlq_events SET retry_after = now()")
    run.run()
    digests = rows("SELECT digest FROM enriched_events")
    assert len(digests) == 2
    assert all(row["digest"] for row in digests)
    rows("DELETE FROM dlq_events")  # as after years: only the records are left
    assert ingest_here(plain, named, name=name) == {"unchanged": 2}
    other = event("1", order_id=3)
    assert ingest_here(plain, other, name=name) == {"unchanged": 1, "enriched": 1}
