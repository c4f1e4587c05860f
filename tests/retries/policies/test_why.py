"""Why a dead letter waits: each reason with who and until when; on pages, in counts, by command."""

import io
import json
from datetime import timedelta

import pytest
from django.core.management import call_command

from dlqconsole.engine import breakers
from dlqconsole.engine.access_scope import AccessScope, asking_as
from dlqconsole.engine.models import DeadLetter
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.policies import PolicyScope, keeping
from dlqconsole.retries.why import Circumstances, answer, why_not_counts
from tests.accounts import person
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db

ORDERS = PolicyScope("order.created")
DUE = {"retry_after": "2020-01-01T00:00:00Z"}


@pytest.fixture
def who(db) -> dict[str, str]:
    return {"actor": person("ann"), "reason": "billing moves"}


def why() -> str:
    return answer(DeadLetter.objects.latest("pk"), Circumstances.look()).sentence


def counts() -> dict[str, int]:
    return {each.code: each.count for each in why_not_counts()}


def shut() -> dict[str, object]:
    """A window that is closed now, and opens tomorrow."""
    now = database_now()
    day = (now + timedelta(days=1)).strftime("%a").lower()
    opens = now.time().replace(second=0, microsecond=0)
    return {"window_days": day, "window_begins": opens, "window_ends": opens, "window_zone": "UTC"}


def test_each_thing_that_holds_it_has_its_sentence_and_its_count(letters, who):
    letters(1, **DUE)
    keeping.pause(ORDERS, until=database_now() + timedelta(hours=1), **who)
    assert why().startswith(f"It is paused: {who['actor']} paused order.created until 20")
    assert why().endswith("because: billing moves.")
    assert counts() == {"PAUSED": 1}
    keeping.resume(ORDERS, **who)
    made = keeping.add(ORDERS, shut(), **who)
    assert "It is outside its window (" in why()
    assert "which opens at 20" in why()
    assert counts() == {"WINDOW": 1}
    execute("UPDATE dlq_events SET retry_after = now() + interval '1 minute'")
    assert "for try 1 of 240, and then until its window opens at 20" in why()
    assert counts() == {"WAITS": 1}
    keeping.change(made.pk, 2, {"enabled": False}, **who)
    assert why() == "It is left to a person by the policy for order.created: no machine retries it."
    assert counts() == {"POLICY": 1}
    keeping.change(made.pk, 3, {"max_retries": 0}, **who)
    assert why().startswith("It has used its 0 tries: the first run after 20")
    assert counts() == {"WAITS": 1}, "no run looks at it before"
    execute("UPDATE dlq_events SET retry_after = now()")
    assert why() == "It has used its 0 tries: the next run marks it EXHAUSTED."
    assert counts() == {"USED_UP": 1}
    keeping.delete(made.pk, 4, **who)
    execute("UPDATE dlq_events SET retry_after = now() - interval '1 s'")
    breakers.hold(
        "type:order.created", "open", database_now() + timedelta(hours=1), who["actor"], "they said so"
    )
    assert (
        f"It is due, and waits: {who['actor']} holds the breaker of the event type order.created open"
        in why()
    )
    assert counts() == {"BREAKER": 1}


def test_what_a_group_s_policy_says_is_told_of_the_group_alone(letters, who):
    (mine,) = letters(1, **DUE)
    letters(1, **DUE, error_reason="Late: by 7 s")
    keeping.pause(PolicyScope(group_id=DeadLetter.objects.get(pk=mine).group_id), **who)
    assert counts() == {"DUE": 1, "PAUSED": 1}
    with asking_as(AccessScope((("*", "bill.*"),))):
        assert counts() == {}


def test_business_failures_that_a_policy_retries_are_due(letters, who):
    (mine,) = letters(1, **DUE, error_category="BUSINESS")
    assert counts() == {"BUSINESS": 1}
    keeping.add(PolicyScope(group_id=DeadLetter.objects.get(pk=mine).group_id), {"enabled": True}, **who)
    assert counts() == {"DUE": 1}
    assert why().startswith("It is due")


def test_the_pages_and_the_command_name_the_person(letters, who, viewer):
    (one,) = letters(1, **DUE)
    keeping.pause(ORDERS, **who)
    sentence = "ann paused order.created until somebody resumes it, because: billing moves"
    assert sentence in viewer.get(f"/dead-letters/{one}/").content.decode()
    assert sentence in viewer.get("/dead-letters/").content.decode()
    assert sentence in viewer.get("/schedules/").content.decode()
    out = io.StringIO()
    call_command("deadletters", "show", str(one), stdout=out)
    assert sentence in json.loads(out.getvalue())["why_not_retried"]


def test_the_next_retry_is_when_its_window_opens(letters, who, viewer):
    (one,) = letters(1, **DUE)
    assert "due now" in viewer.get(f"/dead-letters/{one}/").content.decode()
    keeping.add(ORDERS, shut(), **who)
    page = viewer.get(f"/dead-letters/{one}/").content.decode()
    assert "due now" not in page
    assert ">in 23 h<" in page
