"""What a handler's code says of retries holds wherever no policy says something else."""

import json

import pytest

from dlqconsole.core import handling
from dlqconsole.core.handling import StoredEvent
from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.processing.handlers import Declaration, Registry
from dlqconsole.processing.limits import HandlerLimits
from dlqconsole.retries import policies
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies import PolicyScope
from dlqconsole.retries.policies.words import source_words
from tests.plain_sql import row

pytestmark = pytest.mark.django_db(transaction=True)
QUICK = HandlerLimits(max_retries=7, first_wait=10.0, longest_wait=100.0)


def note(**limits):
    """Have a worker tell the limits of its handlers, by event type without the dot."""
    declared = [
        Declaration(name, lambda event, lookups: None, None, {}, limits=its) for name, its in limits.items()
    ]
    retry_limits.note_handler_limits(Registry(declared))
    policies.forget()


def by_sql(event_type):
    return row("SELECT * FROM retry_limits(%s, NULL)", event_type)


def by_python(event_type):
    limits = retry_limits.limits_for_group(event_type, None)
    policy = policies.current().of(event_type, "TRANSIENT")
    assert (policy.max_retries, policy.backoff) == (limits.max_retries, limits.backoff)
    longest = None if limits.backoff.factor == 1 else limits.backoff.cap
    return limits.max_retries, limits.backoff.base, longest


@pytest.mark.parametrize(
    ("limits", "values"),
    [
        (QUICK, (7, 10.0, 100.0)),
        (HandlerLimits(first_wait=30.0), (240, 30.0, None)),
        (HandlerLimits(max_retries=0), (0, 60.0, 21_600.0)),
    ],
)
def test_code_comes_before_the_settings(limits, values):
    note(orders=limits, mails=HandlerLimits())
    assert by_sql("orders") == by_python("orders") == values
    assert by_sql("mails") == by_python("mails") == (240, 60.0, 21_600.0)


@pytest.mark.parametrize("event_type", [None, "orders"])
def test_a_policy_comes_before_code(event_type):
    note(orders=QUICK)
    RetryPolicy.objects.create(event_type=event_type, max_retries=3)
    policies.forget()
    assert by_sql("orders") == by_python("orders") == (3, 10.0, 100.0)
    sources = policies.current().of_scope(PolicyScope("orders")).sources
    assert source_words(sources["max_retries"]).startswith("the policy for")
    assert source_words(sources["backoff"]) == "the code of its handler"


def test_what_code_says_no_more_is_gone_and_another_workers_word_stays():
    note(orders=QUICK, mails=QUICK)
    note(orders=HandlerLimits())
    assert list(retry_limits.handler_limits()) == ["mails"]


def test_the_schedules_page_says_where_a_value_comes_from(viewer):
    note(orders=QUICK)
    page = viewer.get("/schedules/").content.decode()
    assert "the code of its handler" in page
    assert "10s, doubled up to" in page


def test_a_handler_has_the_time_that_its_code_names(monkeypatch):
    def sleep(event, lookups):
        while True:
            pass

    limits = HandlerLimits(timeout=0.2)
    registry = Registry([Declaration("orders", sleep, None, {}, limits=limits)])
    monkeypatch.setattr("dlqconsole.core.handling.in_process.registry", lambda: registry)
    result = handling.handle(StoredEvent(json.dumps({}), None, {}, "orders", "1"))
    assert result.outcome.reason == "HandlerTimeout: the handler did not finish within 0.2 s"
