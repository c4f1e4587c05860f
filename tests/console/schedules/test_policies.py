"""Policies as people see and change them: previewed, kept under a version, audited; who may, what is not."""

import pytest
from django.contrib.auth.models import User

from dlqconsole.engine.counts import summaries
from dlqconsole.engine.models import AuditEntry
from dlqconsole.people.models import Scope as PeoplesScope
from dlqconsole.retries import policies
from dlqconsole.retries.models import RetryPolicy, RunRequest
from dlqconsole.retries.policies import PolicyScope, keeping
from tests.accounts import actor_of
from tests.page_words import words
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - a fixture

WHO = {"actor": "user:100000001", "reason": "as agreed"}
NEW = "/schedules/policies/new?event_type=order.created"
NIGHT = {
    "window": "hours", "window_days": ["mon", "sun"], "window_begins": "22:00", "window_ends": "06:00",
    "window_zone": "Europe/Berlin",
}  # fmt: skip


@pytest.fixture
def limited():
    """limited(client's name, its types) limits that person."""

    def limit(name: str, event_type: str) -> None:
        PeoplesScope.objects.create(user=User.objects.get(username=name), queue="*", event_type=event_type)

    return limit


@pytest.fixture
def policy(db) -> RetryPolicy:
    return RetryPolicy.objects.get(pk=keeping.add(PolicyScope("order.created"), {"max_retries": 5}, **WHO).pk)


def test_a_policy_is_previewed_then_kept_then_it_counts(admin_user_client, letter, sample_handlers):  # noqa: F811
    keeping.pause(PolicyScope("order.created"), **WHO)
    for retries in (0, 7):
        letter(retry_count=retries)
    letter(event_type="other")
    first = words(admin_user_client.get(NEW))
    assert "This policy covers 2 waiting dead letters; 0 become due at once." in first
    assert "No run of the schedule takes them: " in first
    keeping.resume(PolicyScope("order.created"), **WHO)
    tried = words(admin_user_client.post(NEW, {"do": "try", "enabled": "yes", "max_retries": "5", **NIGHT}))
    assert "1 would have used their tries" in tried
    assert "Europe/Berlin" in tried
    assert not RetryPolicy.objects.exists()
    answer = admin_user_client.post(
        NEW, {"do": "save", "max_retries": "5", "backoff": "fixed", "backoff_base_seconds": "6h", **NIGHT,
              "rate": "0.5", "reason": "at night only"}, follow=True,
    )  # fmt: skip
    policy = RetryPolicy.objects.get()
    assert answer.redirect_chain == [(f"/schedules/policies/{policy.pk}/", 302)]
    found = policies.current().of("order.created", "UNKNOWN")
    assert (found.max_retries, found.backoff.seconds(3), found.rate) == (5, 21_600, 0.5)
    assert found.window.words() == "Mon, Sun, 22:00 to 06:00, Europe/Berlin"
    entry = AuditEntry.objects.get(action="create")
    assert (entry.actor, entry.target, entry.reason) == (
        actor_of("admin"), f"retry_policy:{policy.pk}", "at night only",
    )  # fmt: skip
    assert entry.detail["backoff_base_seconds"] == 21_600
    listed = words(admin_user_client.get("/schedules/"))
    assert "order.created" in listed
    assert "6h each time" in listed


WRONG = [
    ({"max_retries": "1000000000000"}, "must be between 0 and 1,000,000, not 1,000,000,000,000."),
    ({"max_retries": "many"}, "The number of retries must be a whole number, not “many”."),
    ({"rate": "0"}, "The rate must be between 0.001 and 1,000,000, not 0.0."),
    ({"backoff": "fixed"}, "The first wait is missing: say how long."),
    ({"backoff": "exponential", "backoff_base_seconds": "6h", "backoff_cap_seconds": "1h"},
     "The longest wait is shorter than the first."),
    ({"backoff": "fixed", "backoff_base_seconds": "99999w"}, "must be between 1 second and 31 days."),
    ({"backoff": "fixed", "backoff_base_seconds": "soon"}, "is a length of time such as 30s, 90m or 6h"),
    ({"backoff": "sometimes"}, "The way of waiting is one of fixed, exponential"),
    ({**NIGHT, "window_days": []}, "A window without a day never opens. Choose at least one day."),
    ({**NIGHT, "window_days": ["someday"]}, "The days are mon, tue"),
    ({**NIGHT, "window_zone": "Europe/Nowhere"}, "There is no time zone “Europe/Nowhere”."),
    ({**NIGHT, "window_zone": ""}, "Say by which clock"),
    ({**NIGHT, "window_begins": ""}, "The beginning of the window is missing: write it as 22:00."),
    ({**NIGHT, "window_ends": "25:00"}, "The end of the window is a time of the day such as 22:00"),
    ({"enabled": "perhaps"}, "Whether the schedule retries them is one of yes, no"),
]  # fmt: skip


def test_what_makes_no_sense_is_said_at_its_field(admin_user_client):
    for wrong, sentence in WRONG:
        for do in ("try", "save"):
            answer = admin_user_client.post(NEW, {"do": do, "reason": "x", **wrong})
            assert (answer.status_code, sentence in words(answer)) == (422, True), sentence
    assert not RetryPolicy.objects.exists()


@pytest.mark.parametrize(
    ("whose", "sentence"),
    [
        ("event_type=a&group=7", "A group has its event type: leave that out."),
        ("group=0", "must be between 1 and"),
        ("event_type=" + "x" * 300, "The event type has 300 characters"),
        ("event_type=%00", "The event type"),
    ],
)
def test_a_policy_is_for_what_there_can_be(admin_user_client, whose, sentence):
    answer = admin_user_client.get(f"/schedules/policies/new?{whose}")
    assert answer.status_code == 422
    assert sentence in words(answer)


def test_two_editors_do_not_overwrite_each_other(admin_user_client, policy):
    address = f"/schedules/policies/{policy.pk}/"
    mine = {"do": "save", "reason": "mine", "version": policy.version, "max_retries": "6"}
    keeping.change(policy.pk, policy.version, {"max_retries": 7}, **WHO)
    answer = admin_user_client.post(address, mine)
    assert answer.status_code == 422
    assert f"Policy {policy.pk} was changed meanwhile." in words(answer)
    assert RetryPolicy.objects.get().max_retries == 7
    # a pause contradicts no edit
    keeping.pause(PolicyScope("order.created"), **WHO)
    assert admin_user_client.post(address, {**mine, "version": policy.version + 1}).status_code == 302
    assert RetryPolicy.objects.get().paused_at is not None
    entry = AuditEntry.objects.filter(action="change").latest("pk")
    assert entry.detail["changes"] == {"max_retries": [7, 6]}
    assert "max retries 7 → 6" in words(admin_user_client.get("/audit/"))
    assert admin_user_client.post(address + "deletion/", {"version": 1, "reason": "x"}).status_code == 422
    version = RetryPolicy.objects.get().version
    assert (
        admin_user_client.post(address + "deletion/", {"version": version, "reason": "x"}).status_code == 302
    )
    assert not RetryPolicy.objects.exists()


def test_who_types_is_told_in_place_what_it_would_do(admin_user_client, policy):
    address, asked = f"/schedules/policies/{policy.pk}/", {"HTTP_HX_REQUEST": "true"}
    part = admin_user_client.post(address, {"do": "try", "max_retries": "9"}, **asked)
    assert part.status_code == 200
    assert "The next five runs." in words(part)
    assert b"<html" not in part.content
    wrong = admin_user_client.post(address, {"do": "try", "max_retries": "lots"}, **asked)
    assert (wrong.status_code, "whole number" in words(wrong)) == (200, True)


def test_an_operator_pauses_and_resumes_and_asks_for_a_run(operator, policy):
    assert operator.get("/schedules/pause/?event_type=order.created").status_code == 200
    answer = operator.post(
        "/schedules/pause/", {"event_type": "order.created", "until": "8h", "reason": "billing moves"}
    )
    assert answer.status_code == 302
    held = policies.current().of("order.created", "UNKNOWN").block_reason(policies.current().now)
    assert (held.code, held.pause.by, held.pause.reason) == ("PAUSED", actor_of("operator"), "billing moves")
    page = words(operator.get("/schedules/"))
    assert "operator paused order.created until 20" in page
    assert (
        operator.post("/schedules/resume/", {"event_type": "order.created", "reason": "done"}).status_code
        == 302
    )
    assert policies.current().of("order.created", "UNKNOWN").pause is None
    assert operator.post("/schedules/pause/", {"reason": "all of it"}).status_code == 302
    assert "operator paused all retries" in words(operator.get("/schedules/"))
    assert operator.post("/schedules/run/", {"reason": "try it"}).status_code == 302
    assert RunRequest.objects.get().reason == "try it"
    entries = AuditEntry.objects.order_by("pk").values_list("action", "actor")
    assert list(entries)[1:] == [
        (verb, actor_of("operator")) for verb in ("pause", "resume", "pause", "run now")
    ]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"until": "2020-01-01", "reason": "x"}, "2020-01-01 00:00 UTC has passed."),
        ({"until": "60w", "reason": "x"}, "A pause lasts a year at most."),
        ({"until": "later", "reason": "x"}, "is no time: write how long"),
        ({"reason": ""}, "reason"),
    ],
)
def test_a_pause_that_cannot_be_is_refused_in_words(operator, given, sentence):
    answer = operator.post("/schedules/pause/", given)
    assert answer.status_code == 422
    assert sentence in words(answer)
    assert not RetryPolicy.objects.exists()


def test_a_type_without_a_policy_is_named_to_be_paused(operator, limited):
    limited("operator", "bill.*")
    assert "Event type" in words(operator.get("/schedules/pause/?choose=yes"))
    nothing = operator.post("/schedules/pause/?choose=yes", {"reason": "x"})
    assert (nothing.status_code, "Say which: an event type" in words(nothing)) == (422, True)
    for event_type, status in (("order.created", 404), ("bill.sent", 302)):
        given = {"event_type": event_type, "reason": "x"}
        assert operator.post("/schedules/pause/?choose=yes", given).status_code == status
    assert RetryPolicy.objects.get().event_type == "bill.sent"


def test_a_viewer_sees_why_the_buttons_do_nothing(viewer, policy):
    page = viewer.get("/schedules/").content.decode()
    # run now, pause a type, pause all, hold a breaker, new policy, take over
    assert page.count('aria-disabled="true"') == 6
    form = viewer.get(f"/schedules/policies/{policy.pk}/").content.decode()
    assert "Only a maintainer may change policies." in form
    assert viewer.post(f"/schedules/policies/{policy.pk}/", {"do": "save"}).status_code == 403


def test_with_the_schedule_off_no_run_can_be_asked_for(operator, settings):
    settings.DLQ_RETRY_ENABLED = False
    assert "switched off (DLQ_RETRY_ENABLED)" in words(operator.get("/schedules/"))
    assert operator.post("/schedules/run/", {"reason": "try it"}).status_code == 422
    assert not RunRequest.objects.exists()


def test_a_limited_person_sees_and_changes_policies_of_what_they_see(
    operator, admin_user_client, policy, limited
):
    theirs = keeping.add(PolicyScope("bill.sent"), {"rate": 2}, **WHO)
    keeping.add(PolicyScope("card.sent"), {"rate": 77}, **WHO)
    limited("operator", "bill.*")
    page = words(operator.get("/schedules/"))
    assert "bill.sent" in page
    assert "order.created" not in page
    assert "rate 77 a second" not in page
    assert operator.get(f"/schedules/policies/{policy.pk}/").status_code == 404
    assert operator.get(f"/schedules/policies/{theirs.pk}/").status_code == 200
    for whose, status in (("order.created", 404), ("", 404), ("bill.sent", 302)):
        given = {"event_type": whose, "reason": "x"}
        assert operator.post("/schedules/pause/", given).status_code == status
        assert operator.post("/schedules/resume/", given).status_code == status
    assert operator.get("/schedules/run/").status_code == 404


def test_what_takes_too_long_to_count_is_not_told_as_none(viewer, monkeypatch):
    def too_slow():
        raise summaries.TooSlow

    monkeypatch.setattr("dlqconsole.console.schedules.views.why_not_counts", too_slow)
    page = viewer.get("/schedules/").content.decode()
    assert "not counted" in page
    assert "Not known (counting took too long)." in page
