"""A playbook is written: begun from a filter or a group, tried, kept; and changed as it was seen."""

import re

import pytest
from django.contrib.auth.models import User

from dlqconsole.contrib.playbooks import triggers
from dlqconsole.contrib.playbooks.budget import clock
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.triggers.base import NOTHING
from dlqconsole.engine.access_scope import AccessScope, asking_as
from dlqconsole.engine.models import AuditEntry, Breaker, FailureGroup
from dlqconsole.operations.models import Operation
from dlqconsole.people.models import Scope
from tests.accounts import actor_of
from tests.contrib.playbooks.conftest import made
from tests.contrib.playbooks.pages.conftest import FORM, words

pytestmark = pytest.mark.django_db


def test_it_is_tried_then_kept_for_the_person_who_kept_it(operator, letter):
    letter()
    answer = operator.post("/playbooks/new", FORM | {"do": "try", "reason": ""})
    assert answer.status_code == 200
    assert "Would take 1 Left of the budget 2,000" in words(answer)
    assert "has not been seen to fail" in words(answer)
    assert (Playbook.objects.count(), Operation.objects.count(), AuditEntry.objects.count()) == (0, 0, 0)
    kept = operator.post("/playbooks/new", FORM, follow=True)
    row = Playbook.objects.get()
    assert kept.redirect_chain == [(f"/playbooks/{row.pk}/", 302)]
    assert (row.acts_for, row.created_by, row.enabled) == (actor_of("operator"),) * 2 + (True,)
    assert (row.filter, row.per_hour, row.trigger_options) == (
        {"q": "type:order.created"},
        2_000,
        {"key": "type:order.created"},
    )
    assert row.options["canary"] == {"probes": 5, "threshold": 10, "watch_seconds": 60}
    entry = AuditEntry.objects.get(target=f"playbook:{row.pk}")
    assert (entry.actor, entry.action, entry.reason) == (actor_of("operator"), "create", FORM["reason"])
    assert "When type:order.created answers again" in words(kept)


@pytest.mark.parametrize("kind", ["purge", "nosuch"])
def test_a_kind_that_no_playbook_asks_for_is_not_taken_for_another(operator, kind):
    answer = operator.get(f"/playbooks/new?kind={kind}")
    assert answer.status_code == 404
    assert f"not for “{kind}”" in words(answer)
    assert operator.post("/playbooks/new", FORM | {"kind": kind}).status_code == 404
    assert not Playbook.objects.exists()


def test_a_group_and_a_filter_offer_it(operator, letter):
    letter()
    group = FailureGroup.objects.get().pk
    of_group = operator.get(f"/groups/{group}/").content.decode()
    assert f'href="/playbooks/new?filter=group%3D{group}"' in of_group
    page = operator.get("/dead-letters/?type=order.created").content.decode()
    assert 'href="/playbooks/new?filter=q%3Dtype%3Aorder.created"' in page
    assert "Make a playbook" not in operator.get("/dead-letters/").content.decode()
    form = operator.get(f"/playbooks/new?filter=group%3D{group}")
    assert f'value="group={group}"' in form.content.decode()
    assert f"group is {group}" in words(form)
    answer = operator.post("/playbooks/new", FORM | {"filter": f"group={group}"}, follow=True)
    row = Playbook.objects.get()
    assert row.group_id == group
    assert answer.status_code == 200
    assert "Orders are back" in words(operator.get(f"/groups/{group}/"))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"name": " "}, "Give the playbook a name"),
        ({"filter": ""}, "Say which dead letters it is about"),
        ({"filter": "type=a&type=order.created"}, "The filter names “type” twice"),
        ({"filter": "nothing=1"}, "has a part that nobody knows"),
        ({"filter": "type="}, "with no filter it would act on every dead letter"),
        ({"filter": "status=QUARANTINED"}, "by itself it takes what is PENDING or EXHAUSTED"),
        ({"filter": "group=999999"}, "There is no group 999999."),
        ({"key": "weather"}, "A breaker is named"),
        ({"trigger": "never"}, "is one of breaker, every, daily, many"),
        ({"trigger": "every", "minutes": "1"}, "The number of minutes must be between 5 and 10,080"),
        ({"trigger": "daily", "at": "25:00"}, "A time of the day is 03:30"),
        ({"trigger": "many", "above": "-1"}, "The number that may wait"),
        ({"per_day": ""}, "Say how many at most."),
        ({"per_hour": "2,001", "per_day": "2,000"}, "An hour's budget of 2,001 is more than the 2,000 of a"),
        ({"per_hour": "0"}, "The budget an hour must be between 1 and 1,000,000"),
        ({"canary_probes": "0"}, "The number of probes must be between 1 and 100"),
        ({"to_queue": "mysql:elsewhere"}, "revive to a queue of this database"),
        ({"reason": ""}, "Say why"),
    ],
)
def test_what_cannot_be_is_said_and_what_was_typed_stays(operator, wrong, sentence):
    answer = operator.post("/playbooks/new", FORM | wrong)
    assert answer.status_code == 422
    assert sentence in words(answer)
    assert 'value="10,000"' in answer.content.decode() or "per_day" in wrong
    assert not Playbook.objects.exists()


def test_only_kinds_that_say_so_stand_in_a_playbook(operator):
    form = operator.get("/playbooks/new")
    assert 'name="kind" value="revive"' in form.content.decode()
    assert "Retry now instead" in words(form)
    assert "run the handler again" in words(operator.get("/playbooks/new?kind=retry"))


def test_a_change_is_kept_as_it_was_seen_and_answered_for_by_who_made_it(admin_user_client, of_operator):
    page = f"/playbooks/{of_operator.pk}/edit/"
    opened = admin_user_client.get(page).content.decode()
    assert 'value="q=type:order.created"' in opened
    assert 'value="type:order.created"' in opened
    changed = FORM | {"version": "1", "trigger": "daily", "at": "03:30"}
    assert admin_user_client.post(page, changed).status_code == 302
    of_operator.refresh_from_db()
    assert (of_operator.version, of_operator.acts_for) == (2, actor_of("admin"))
    entry = AuditEntry.objects.get(action="change", target=f"playbook:{of_operator.pk}")
    assert entry.detail["changes"]["when"] == [
        "when type:order.created answers again",
        "every day at 03:30 UTC",
    ]
    again = admin_user_client.post(page, changed)
    assert again.status_code == 422
    assert "Somebody changed this playbook since you opened it" in words(again)


def test_a_viewer_is_refused_with_the_reason(viewer, of_operator):
    assert "disabled" in viewer.get("/playbooks/").content.decode()
    assert "Viewers may look but not change" in words(viewer.get("/playbooks/"))
    assert viewer.post("/playbooks/new", FORM).status_code == 403
    assert viewer.post(f"/playbooks/{of_operator.pk}/edit/", FORM).status_code == 403
    assert Playbook.objects.get().version == 1


def test_a_stranger_sees_nothing(stranger, of_operator):
    assert stranger.get("/playbooks/").status_code == 403
    assert stranger.get(f"/playbooks/{of_operator.pk}/").status_code == 403


def test_what_only_a_person_may_choose_each_time_is_not_offered(operator):
    assert "failed repeatedly" not in words(operator.get("/playbooks/new"))
    operator.post("/playbooks/new", FORM | {"come_backs_too": "on"})
    assert not Playbook.objects.filter(options__come_backs_too=True).exists()


@pytest.fixture
def limited(operator):
    """The operator, who sees orders alone; beside what others fail of."""
    Scope.objects.create(user=User.objects.get(username="operator"), event_type="order.*")
    for key, kinds in (
        ("type:order.created", ["order.created"]),
        ("type:salary.paid", ["salary.paid"]),
        ("dependency:payroll", ["salary.paid"]),
        ("dependency:shop", ["order.created", "salary.paid"]),
    ):
        Breaker.objects.create(key=key, state="open", event_types=kinds, next_probe_at=clock())
    return operator


def test_who_is_limited_is_offered_no_breaker_of_others(limited):
    page = limited.get("/playbooks/new").content.decode()
    assert re.findall(r'<option value="((?:type|dependency):.*?)"', page) == [
        "dependency:shop",
        "type:order.created",
    ]
    assert "salary" not in page


@pytest.mark.parametrize(
    "key", ["type:salary.paid", "dependency:payroll", "type:never.was", "dependency:nobodys"]
)
def test_a_breaker_of_others_is_one_that_never_was(limited, letter, key):
    """Neither tried nor kept; whether it is there, and open, is not told."""
    letter()
    for do in ("try", "save"):
        answer = limited.post("/playbooks/new", FORM | {"do": do, "key": key})
        assert answer.status_code == 422
        assert f"There is no breaker “{key}” that stops what you see: order.*." in words(answer)
    assert not Playbook.objects.exists()


def test_a_playbook_notices_nothing_of_a_breaker_that_its_person_sees_no_more(limited):
    row = made(actor_of("operator"), trigger_options={"key": "type:order.created"})
    everybody = triggers.get("breaker").notice(row, clock())
    assert everybody.memory["seen_open_at"] is not None
    with asking_as(AccessScope.of([("*", "billing.*")])):
        assert triggers.get("breaker").notice(row, clock()) == NOTHING
        row.seen_open_at = clock()
        forgets = triggers.get("breaker").notice(row, clock())
    assert (forgets.memory, forgets.why) == ({"seen_open_at": None}, "")
