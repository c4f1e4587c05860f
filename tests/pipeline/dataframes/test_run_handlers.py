"""A user's own DataFrame and stream through the handlers: each event once, in one of two tables."""

import pytest

from dlqconsole.spark import BadRequest, run_handlers
from tests.pipeline.hostile import event
from tests.pipeline.test_poisons import POISONS

pytestmark = [pytest.mark.spark, pytest.mark.django_db(transaction=True)]

EVENTS = [event(str(number), do="business" if number % 3 == 0 else "nothing") for number in range(60)]
BOTH = "SELECT source_key FROM enriched_events UNION ALL SELECT source_key FROM dlq_events"


@pytest.fixture
def frame(session):
    """frame(values) of one column, in four parts."""

    def make(values, partitions=4):
        return session.createDataFrame([(value,) for value in values], "value binary").repartition(partitions)

    return make


def test_each_event_once_and_a_second_time_nothing(frame, rows):
    result = run_handlers(frame([*EVENTS, EVENTS[0], None, b"{broken"]))
    assert (result.events, result.enriched, result.dead_letters) == (62, 40, 21)
    assert result.counts["order.created", "PlaneUnknown"] == 20
    assert result.counts["events", "blank"] == 1
    again = run_handlers(frame([*EVENTS, b"{broken"], 2))
    assert (again.events, again.unchanged) == (61, 61)
    assert len(rows(BOTH)) == 61
    first, second = rows("SELECT * FROM pipeline_runs ORDER BY id")
    assert (first["status"], first["done"], first["counts"]["blank"]) == ("completed", 62, 1)
    assert (second["id"], second["kind"]) == (again.run_id, "spark")
    assert second["message"] == "61 events, 0 enriched, 0 dead letters, 61 unchanged"


def test_a_poison_ends_no_job_and_harms_only_itself(frame, rows, monkeypatch):
    """The session tries a task three times; one that does not is tried on a Spark of its own, in the soak."""
    monkeypatch.setenv("DLQ_HANDLER_TIMEOUT", "4")
    monkeypatch.setenv("DLQ_HANDLER_MEMORY", "100")
    values = [event("crash", do="crash"), *EVENTS[1:6]]
    result = run_handlers(frame(values, 1))
    assert (result.events, result.dead_letters) == (6, 2)
    dead = rows("SELECT error_class, status FROM dlq_events WHERE source_key = 'crash'")
    assert dead == [{"error_class": POISONS["crash"], "status": "QUARANTINED"}]
    [run] = rows("SELECT status, done FROM pipeline_runs")
    assert run == {"status": "completed", "done": 6}


def test_an_outage_opens_the_breaker_for_frames_too(frame, rows):
    result = run_handlers(frame([event(str(number), do="dependency") for number in range(100)], 1))
    assert result.counts == {("order.created", "BillingAway"): 20, ("order.created", "BreakerOpen"): 80}
    assert rows("SELECT state FROM breakers") == [{"state": "open"}]


def test_what_is_asked_wrongly_starts_no_run(session, frame, rows, monkeypatch):
    with pytest.raises(BadRequest, match="no column value"):
        run_handlers(session.range(3))
    with pytest.raises(BadRequest, match="and there is no module"):
        run_handlers(frame(EVENTS), handlers="tests.no_such_module")
    with pytest.raises(BadRequest, match=r"this frame is a stream: .*foreachBatch"):
        run_handlers(session.readStream.format("rate").load())
    monkeypatch.delenv("DLQ_HANDLERS")
    with pytest.raises(BadRequest, match=r"handlers=…, or DLQ_HANDLERS"):
        run_handlers()
    assert rows("SELECT * FROM pipeline_runs") == []


def test_a_stream_is_one_run_and_its_checkpoint_can_be_lost(session, rows, tmp_path):
    def ingest(checkpoint: str) -> None:
        read = session.readStream.schema("value string").option("maxFilesPerTrigger", 1)
        stream = read.text(str(tmp_path / "in")).writeStream.foreachBatch(run_handlers())
        query = stream.option("checkpointLocation", str(tmp_path / checkpoint))
        query.trigger(availableNow=True).start().awaitTermination()

    (tmp_path / "in").mkdir()
    for part in range(2):
        (tmp_path / "in" / f"{part}.txt").write_bytes(b"\n".join(EVENTS[part * 30 : part * 30 + 30]))
    ingest("one")
    ingest("two")
    assert len(rows(BOTH)) == 60
    first, second = rows("SELECT status, done, counts FROM pipeline_runs ORDER BY id")
    assert (first["status"], first["done"], first["counts"]["unchanged"]) == ("completed", 60, 0)
    assert (second["status"], second["done"], second["counts"]["unchanged"]) == ("completed", 60, 60)
