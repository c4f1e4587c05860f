"""manage.py schedule: the same as the pages, with the same sentences, roles and limits."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.engine.models import AuditEntry
from dlqconsole.people.models import Scope as PeoplesScope
from dlqconsole.retries import policies
from dlqconsole.retries.models import RetryPolicy, RunRequest
from tests.accounts import person, token_of

pytestmark = pytest.mark.django_db

BECAUSE = ("--because", "as agreed")
BILLS = ("--type", "bill.sent")


def said(*arguments: str) -> str:
    out = io.StringIO()
    call_command("schedule", *arguments, stdout=out)
    return out.getvalue()


def refused(*arguments: str) -> str:
    with pytest.raises(CommandError) as refusal:
        said(*arguments)
    return str(refusal.value)


def bills() -> policies.Policy:
    return policies.read().of("bill.sent", "UNKNOWN")


def test_a_policy_is_previewed_kept_changed_and_deleted(letter):
    letter(event_type="bill.sent")
    looked = said("preview", *BILLS, "--max-retries", "0")
    assert "1 waiting dead letters are in its reach." in looked
    assert "1 would have used their tries." in looked
    assert not RetryPolicy.objects.exists()
    window = ("--window", "fri,sat 22:00-06:00 Europe/Berlin")
    assert "is kept." in said("set", *BILLS, "--max-retries", "9", "--backoff", "1m..6h", *window, *BECAUSE)
    assert "is changed." in said("set", *BILLS, "--rate", "2", "--backoff", "6h", *BECAUSE)
    found = bills()
    assert (found.max_retries, found.rate, found.backoff.seconds(7)) == (9, 2.0, 21_600)
    assert found.window.words() == "Fri, Sat, 22:00 to 06:00, Europe/Berlin"
    assert "is so already." in said("set", *BILLS, "--rate", "2", *BECAUSE)
    said("set", *BILLS, "--window", "open", "--max-retries", "open", *BECAUSE)
    assert (bills().max_retries, bills().window.is_always) == (240, True)
    assert json.loads(said("preview", *BILLS, "--json"))["values"]["rate"] == "2 a second"
    assert "is gone." in said("delete", *BILLS, *BECAUSE)
    assert not RetryPolicy.objects.exists()
    assert AuditEntry.objects.filter(target__startswith="retry_policy:").count() == 4


def test_pauses_and_a_run_are_asked_for(letter):
    letter(event_type="bill.sent")
    assert "paused: what runs is finished." in said("pause", *BILLS, "--until", "8h", *BECAUSE)
    shown = said()
    assert "paused bill.sent until 20" in shown
    assert "1 wait" in shown
    assert json.loads(said("--json").splitlines()[0]) == {"next_run": "now"}
    assert "bill.sent: resumed." in said("resume", *BILLS, *BECAUSE)
    assert "nothing had paused it." in said("resume", *BECAUSE)
    assert "finished. No dead letter is of the type nosuch" in said("pause", "--type", "nosuch", *BECAUSE)
    assert "No dead letter" not in said("pause", *BILLS, *BECAUSE)
    assert "as soon as a worker is free" in said("run", *BECAUSE)
    assert RunRequest.objects.count() == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("pause",), "Say why: schedule pause"),
        (
            ("set", "--max-retries", "-1", *BECAUSE),
            "The number of retries must be between 0 and 1,000,000, not “-1”.",
        ),
        (("set", "--window", "at night", *BECAUSE), "Write a window as 'mon,tue 22:00-06:00 Europe/Berlin'"),
        (("set", "--window", "mon 22:00-06:00 Nowhere", *BECAUSE), "There is no time zone “Nowhere”."),
        (("set", "--window", "mon 22:00-06:00 localtime", *BECAUSE), "There is no time zone “localtime”."),
        (("set", "--backoff", "6h..1h", *BECAUSE), "The longest wait is shorter than the first."),
        (("pause", "--type", "", *BECAUSE), "nothing is in it; give a value, or leave the option out"),
        (("set", "--type", " ", "--enabled", "no", *BECAUSE), "nothing is in it"),
        (("resume", "--group", "", *BECAUSE), "nothing is in it"),
        (("set", *BILLS, "--enabled", "", *BECAUSE), "nothing is in it"),
        (("pause", "--type", "a", "--type", "b", *BECAUSE), "is given twice"),
        (("pause", "--group", "999999", *BECAUSE), "There is no failure group 999999."),
        (("set", "--group", "999999", "--rate", "2", *BECAUSE), "There is no failure group 999999."),
        (("set", *BILLS, *BECAUSE), "Say what to set"),
        (("set", *BILLS, "--group", "7", *BECAUSE), "A group has its event type: leave that out"),
        (("delete", *BILLS, *BECAUSE), "There is no policy for bill.sent."),
        (("pause", "--until", "soon", *BECAUSE), "is no time: write how long"),
        (("pause", "--until", "2020-01-01", *BECAUSE), "has passed"),
    ],
)
def test_what_makes_no_sense_is_refused_in_the_pages_words(arguments, sentence):
    assert sentence in refused(*arguments)
    assert not RetryPolicy.objects.exists()


def test_a_token_s_person_does_what_their_role_and_scope_allow(settings):
    ann = person("ann")
    settings.DLQ_TOKEN = token_of(ann)
    assert "is operator and no maintainer" in refused("set", *BILLS, "--rate", "2", *BECAUSE)
    PeoplesScope.objects.create(user_id=int(ann.removeprefix("user:")), queue="*", event_type="bill.*")
    assert "bill.sent: paused" in said("pause", *BILLS, *BECAUSE)
    assert "within your scope" in refused("pause", *BECAUSE)
    assert "within your scope" in refused("pause", "--type", "order.created", *BECAUSE)
    assert "within your scope" in refused("run", *BECAUSE)
    assert AuditEntry.objects.get(action="pause").actor == ann
