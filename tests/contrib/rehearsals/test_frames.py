"""rehearse_handlers: what would become of a frame's rows, with nothing stored."""

import pytest

from dlqconsole.contrib.rehearsals.spark import rehearse_handlers
from dlqconsole.spark import BadRequest, run_handlers
from tests.pipeline.hostile import event

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spark]


def test_it_predicts_what_run_handlers_then_does(session, rows, database_url):
    values = [
        event("1"),
        event("2", do="business"),
        event("3", do="write elsewhere", url=database_url),
        event("4", kind="order.keyed", order_id=1),
        event("5", kind="unheard.of"),
        b"{broken",
        None,
    ]
    frame = session.createDataFrame(
        [(value, place) for place, value in enumerate(values)], "value binary, place int"
    )
    found = {row.place: row for row in rehearse_handlers(frame.coalesce(1)).collect()}
    assert [found[place].value for place in range(7)] == values
    assert [(found[place].would, found[place].would_fail_as) for place in range(7)] == [
        ("succeed", None),
        ("fail", "PlaneUnknown"),
        ("write", None),
        ("unknown", None),
        ("fail", "NoHandler"),
        ("fail", "MalformedEvent"),
        (None, None),
    ]
    assert found[1].would_category == "BUSINESS"
    assert found[1].would_reason == "PlaneUnknown: tailnum N1 is not in the planes table"
    assert not rows("SELECT 1 FROM pipeline_runs UNION ALL SELECT 1 FROM dlq_events")
    assert not rows("SELECT 1 FROM shedlock WHERE name = 'written'")
    predicted = {found[place].would_reason for place in (1, 4, 5)}
    run_handlers(frame.where("place IN (0, 1, 4, 5)"))
    assert {row["error_reason"] for row in rows("SELECT error_reason FROM dlq_events")} == predicted


def test_what_cannot_be_asked_is_refused_in_a_sentence(session):
    frame = session.createDataFrame([(b"{}", "x")], "value binary, would string")
    with pytest.raises(BadRequest, match="has a column would already"):
        rehearse_handlers(frame)
    with pytest.raises(BadRequest, match="no module"):
        rehearse_handlers(frame.drop("would"), handlers="tests.no_such_module")
    with pytest.raises(BadRequest, match="is a stream"):
        rehearse_handlers(session.readStream.format("rate").load())
