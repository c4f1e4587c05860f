"""An event whose handler runs in a process of its own comes to the same end as here."""

import json

import pytest
from django.db import connection

from dlqconsole.core import handling
from dlqconsole.core.handling import StoredEvent, Unhandled
from dlqconsole.processing.headers import UnreadableHeaders
from dlqconsole.processing.outcomes import Failed, Succeeded
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db


def order(**data):
    return StoredEvent(json.dumps({"order_id": 7} | data), None, {"trace": "1"}, "order.created", "12")


@pytest.fixture
def isolated(sample_handlers, settings, monkeypatch):  # noqa: F811 - the fixture
    """The block in which handlers run elsewhere; not a fork of this process, which has connections open."""
    settings.DLQ_HANDLER_ISOLATION = "process"
    monkeypatch.setenv("DLQ_HANDLERS", "tests.sample_handlers")
    monkeypatch.setenv("DLQ_HANDLER_MEMORY", "100")
    with handling.isolated():
        yield


def test_it_is_the_same_as_here_and_whatever_happens_the_next_one_runs(isolated):
    assert connection.connection is not None
    assert handling.handle(order()).outcome == Succeeded(None, '{"order_id":7,"handled":true}')
    assert handling.handle(order()).identity == handling.identify(order())
    for stored, error in (
        (order(do="business"), "PlaneUnknown"),
        (StoredEvent("{", None, {}, "order.created", "1"), "MalformedEvent"),
        (StoredEvent("{}", None, UnreadableHeaders("too deep"), "order.created", "1"), "MalformedEvent"),
    ):
        failure = handling.handle(stored).outcome
        assert isinstance(failure, Failed)
        assert (failure.error_class, failure.fatal) == (error, False)
    assert handling.handle(StoredEvent("1", None, {}, "nobody's", "1")).outcome == Unhandled("nobody's")
    for poison, error in (("crash", "HandlerDied"), ("leak", "HandlerOutOfMemory"), ("exit", "HandlerDied")):
        died = handling.handle(order(do=poison))
        assert isinstance(died.outcome, Failed)
        assert (died.outcome.error_class, died.outcome.fatal) == (error, True)
        assert died.identity == handling.identify(order())


def test_what_a_handler_leaves_in_its_connection_is_gone_for_the_next_one(isolated):
    for _event in range(2):
        handled = handling.handle(order(do="leave open"))
        assert isinstance(handled.outcome, Succeeded), handled
