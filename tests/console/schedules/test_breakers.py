"""Breakers as people see them: schedule, overview, before an operation, in figures; held and resumed."""

import json
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from dlqconsole.console.monitoring.prometheus import exposition
from dlqconsole.core import messages
from dlqconsole.engine import breakers
from dlqconsole.engine.models import AuditEntry, Breaker
from dlqconsole.engine.queues import changes as queues
from dlqconsole.people.models import Scope as PeoplesScope
from tests.accounts import actor_of
from tests.page_words import words
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - a fixture

pytestmark = pytest.mark.usefixtures("sample_handlers")

KEY = "type:order.created"
HOLD, RESUME = "/schedules/breakers/hold/", "/schedules/breakers/resume/"
WHO = {"actor": "user:100000001", "reason": "x"}


@pytest.fixture
def is_open(db) -> None:
    Breaker.objects.create(
        key=KEY, state="open", failures=20,
        reason="BillingAway: billing answered 503 for iban DE89370400440532013000",
        next_probe_at=timezone.now() + timedelta(hours=1), event_types=["order.created"],
    )  # fmt: skip


def test_the_next_run_is_when_the_breaker_lets_somebody_try(viewer, is_open, letter):
    due = {"retry_after": timezone.now() - timedelta(minutes=1)}
    letter(event_type="order.created", **due)
    assert re.search(r"Next run in (59 m|1 h)", said := words(viewer.get("/schedules/"))), said
    breakers.hold(KEY, "open", timezone.now() + timedelta(hours=5), **WHO)
    assert re.search(r"Next run in (4|5) h", said := words(viewer.get("/schedules/"))), said
    letter(event_type="order.checked", **due)  # nothing holds this one
    assert "Next run now" in words(viewer.get("/schedules/"))


def test_the_schedule_says_what_waits_for_what_and_masks_it(viewer, is_open):
    page = viewer.get("/schedules/")
    said = words(page)
    assert "20 failures, BillingAway: billing answered 503 for iban" in said
    assert "DE89370400440532013000" not in said
    assert said.count("You may look, not act") or 'aria-disabled="true"' in page.content.decode()
    Breaker.objects.all().delete()
    assert "All are closed: handlers run as events come." in words(viewer.get("/schedules/"))


def test_a_reason_that_names_an_actor_is_not_taken_for_one(viewer, is_open, capsys):
    who = f"user:{User.objects.get(username='viewer').pk}"
    Breaker.objects.update(reason=f"held by viewer ({who}): do not touch")
    told = f"held by viewer ({who.replace(':', ' ')}): do not touch"
    call_command("breakers")
    assert told in capsys.readouterr().out
    assert all(told in words(viewer.get(page)) for page in ("/schedules/", "/"))


def test_the_overview_names_it_and_queues_that_stand_still(viewer, is_open):
    messages.send("ledger", "{}")
    queues.pause("ledger", **WHO)
    said = words(viewer.get("/"))
    assert "Handlers wait for the event type order.created: 20 failures, BillingAway" in said
    assert "ledger is paused, and 1 message waits: resume it when you can." in said


def test_an_operator_resumes_it_with_a_reason(operator, is_open):
    answer = operator.get(RESUME, {"key": KEY})
    assert "It is closed and its handlers run again within seconds." in words(answer)
    assert "Say why" in words(operator.post(RESUME, {"key": KEY, "reason": ""})) or breakers.states()
    done = operator.post(RESUME, {"key": KEY, "reason": "billing is back"}, follow=True)
    assert "Its handlers run again within seconds." in words(done)
    entry = AuditEntry.objects.get(target=f"breaker:{KEY}")
    assert (entry.action, entry.reason, entry.actor) == ("resume", "billing is back", actor_of("operator"))
    again = operator.post(RESUME, {"key": KEY, "reason": "once more"}, follow=True)
    assert "Nothing stopped it." in words(again)


def test_an_operator_holds_one_until_a_moment(operator, db):
    form = {"key": "dependency:billing", "held": "open", "until": "2h", "reason": "billing moves house"}
    done = words(operator.post(HOLD, form, follow=True))
    assert "Held open: the dependency billing." in done
    assert "operator holds it open until" in done
    assert "billing moves house" in done
    [state] = breakers.states()
    assert (state.held, state.blocks) == ("open", True)
    assert "held it open until" in words(operator.get("/audit/"))


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"key": "queue:x"}, "A breaker is named type:<event type>, dependency:<name> or flood"),
        ({"key": "type:" + "x" * 400}, ""),
        ({"held": "ajar"}, ""),
        ({"until": "900d"}, "31 days at most"),
        ({"until": "2001-01-01"}, "31 days at most"),
        ({"until": "soon"}, "is no time"),
        ({"reason": ""}, ""),
        ({"key": "type:\x00"}, ""),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(operator, db, changed, sentence):
    form = {"key": KEY, "held": "open", "until": "2h", "reason": "x"} | changed
    answer = operator.post(HOLD, form)
    assert answer.status_code == 422 or answer.status_code == 400
    assert sentence in words(answer)
    assert not Breaker.objects.exists()


def test_who_may_not_sees_why(viewer, operator, is_open):
    assert viewer.post(RESUME, {"key": KEY, "reason": "x"}).status_code == 403
    PeoplesScope.objects.create(
        user=User.objects.get(username="operator"), queue="*", event_type="order.created"
    )
    page = operator.get("/schedules/")
    assert "the event type order.created" in words(page)
    assert operator.post(RESUME, {"key": KEY, "reason": "x"}).status_code == 404
    PeoplesScope.objects.update(event_type="other")
    assert "the event type order.created" not in words(operator.get("/schedules/"))
    assert breakers.states()


def test_a_queue_called_like_a_secret_leaves_the_warning_its_words(operator, letter):
    letter(queue="secret.q")
    asked = {"scope": "all", "filter": "", "kind": "revive"}
    said = words(operator.post("/dead-letters/operations/", asked))
    assert "Nobody consumes secret.q. No consumer of it has been heard of in two minutes." in said


def test_before_a_revival_and_a_retry_people_are_warned(operator, letter, is_open):
    letter(queue="orders")
    queues.create("orders", **WHO)
    queues.pause("orders", **WHO)
    asked = {"scope": "all", "filter": "", "kind": "revive"}
    said = words(operator.post("/dead-letters/operations/", asked))
    assert (
        "Revived, they wait on their queues and lose no try: the event type order.created failed 20 times"
        in said
    )
    assert "The queue orders is paused: they wait there until somebody resumes it." in said
    assert "Nobody consumes orders. No consumer of it has been heard of in two minutes." in said
    assert "Waits for now: the event type" in words(
        operator.post("/dead-letters/operations/", asked | {"kind": "retry"})
    )


def test_the_figures_have_a_state_per_key(is_open):
    assert b'dlq_breaker_state{held="",key="type:order.created"} 2.0' in exposition([], 2.0)


def test_the_command_lists_holds_and_resumes(capsys, is_open):
    call_command("breakers")
    assert capsys.readouterr().out.startswith("type:order.created  open  ")
    call_command("breakers", "hold", KEY, "closed", "--for", "6h", "--because", "a drill")
    call_command("breakers", "list", "--json")
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("type:order.created is held closed until ")
    assert json.loads(out[1])["held"] == "closed"
    call_command("breakers", "resume", KEY, "--because", "the drill is over")
    call_command("breakers")
    assert capsys.readouterr().out.splitlines()[-1] == "All are closed: handlers run as events come."
    for wrong in (
        ["queue:x", "open", "--for", "1h"],
        [KEY, "open", "--for", "90d"],
        [KEY, "open", "--for", "x"],
    ):
        with pytest.raises(CommandError):
            call_command("breakers", "hold", *wrong, "--because", "x")
