"""A worker of Spark keeps samples as a consumer does; the keeper travels to it."""

import pickle

import pytest

from dlqconsole.contrib.insight.samples.taking import SampleKeeper
from tests.pipeline.conftest import database_url, ingest_here, make_work, rows  # noqa: F401 - fixtures
from tests.pipeline.hostile import event

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def every_event(settings):
    """A keeper that takes each success, as it arrives at a worker."""
    settings.DLQ_SAMPLE_ONE_IN, settings.DLQ_MASKED_KEYS = 1, ["order_no"]
    return (pickle.loads(pickle.dumps(SampleKeeper(settings))),)  # noqa: S301


def test_keeps_samples_of_successes_masked(ingest_here, rows, every_event):  # noqa: F811
    lines = [event(str(key), order_no=f"A{key}", carrier="MQ") for key in range(5)]
    ingest_here(*lines, event("x", do="business"), success_keepers=every_event)
    kept = rows("SELECT event_type, source_key, payload, masked, stands_for FROM success_samples ORDER BY id")
    assert [row["source_key"] for row in kept] == list("01234")
    assert {row["masked"] for row in kept} == {True}
    assert "A3" not in str(kept)
    assert kept[0]["payload"]["data"]["carrier"] == "MQ"


def test_keeps_no_sample_of_a_type_that_is_switched_off(ingest_here, rows, every_event):  # noqa: F811
    rows("INSERT INTO sample_policies (event_type, one_in) VALUES ('order.created', 0) RETURNING 1")
    ingest_here(event("1"), success_keepers=every_event)
    assert rows("SELECT count(*) AS samples FROM success_samples") == [{"samples": 0}]
