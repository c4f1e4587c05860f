"""Ticked rows, or all that match: what a person confirms is what becomes one operation."""

from uuid import uuid4

import pytest

from dlqconsole.engine.models import AuditEntry, DeadLetter
from dlqconsole.operations.models import Operation
from tests.accounts import actor_of

pytestmark = pytest.mark.usefixtures("no_worker")


def form(**fields: object) -> dict:
    return {"kind": "revive", "reason": "the deploy fixed it", "request_key": uuid4(), "expected": 1} | fields


def test_confirm_page_counts_and_changes_nothing(operator, letter):
    open_one, done = letter(), letter(status="SUCCEEDED")
    answer = operator.post("/dead-letters/operations/", {"kind": "revive", "ids": [open_one, done]})
    preview = answer.context["preview"]
    assert (preview["count"], preview["eligible"]) == (2, 1)
    assert preview["not_eligible"] == [{"count": 1, "reason": "SUCCEEDED: has already SUCCEEDED"}]
    assert answer.context["request_key"]
    assert not Operation.objects.exists()


def test_ticked_rows_become_one_operation_with_a_receipt(operator, letter):
    ids = [letter(), letter()]
    answer = operator.post("/operations/", form(ids=ids, expected=2))
    operation = Operation.objects.get()
    assert answer["Location"] == f"/operations/{operation.pk}/"
    assert (operation.kind, operation.scope, operation.ids) == ("revive", "rows", ids)
    assert (operation.actor, operation.expected) == (actor_of("operator"), 2)
    assert operator.get(answer["Location"]).status_code == 200


def test_same_form_twice_is_one_operation(operator, letter):
    once = form(ids=[letter()])
    first, second = operator.post("/operations/", once), operator.post("/operations/", once)
    assert first["Location"] == second["Location"]
    assert Operation.objects.count() == 1
    assert AuditEntry.objects.filter(action="request revive").count() == 1


@pytest.mark.parametrize("reason", ["", "   ", "x" * 2001])
def test_reason_that_says_nothing_or_too_much_is_refused(operator, letter, reason):
    answer = operator.post("/operations/", form(ids=[letter()], reason=reason))
    assert answer.status_code == 422
    assert answer.context["errors"]
    assert not Operation.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "destroy"}, {"ids": []}, {"ids": ["x"]}, {"ids": [str(2**63)]}, {"ids": ["-1"]},
        {"ids": ["\uff11"]}, {"request_key": "no"}, {"scope": "all", "filter": "status=NONE"},
        {"scope": "all", "filter": "since=2026-02-02&until=2026-01-01"}, {"scope": "all", "filter": "q=%00"},
    ],
)  # fmt: skip
def test_form_that_is_not_understood_goes_back_with_a_sentence(operator, letter, wrong):
    answer = operator.post("/operations/", form(ids=[letter()]) | wrong, follow=True)
    assert answer.status_code == 200
    assert list(answer.context["messages"])
    assert not Operation.objects.exists()


def test_more_than_a_thousand_ticked_rows_are_refused_with_the_limit(operator):
    answer = operator.post("/operations/", form(ids=list(range(1, 1002))), follow=True)
    assert "At most 1,000 rows" in str(next(iter(answer.context["messages"])))
    assert not Operation.objects.exists()


def test_ticking_a_row_twice_selects_it_once(operator, letter):
    one = letter()
    operator.post("/operations/", form(ids=[one, one]))
    assert Operation.objects.get().ids == [one]


@pytest.mark.parametrize("role", ["viewer", "stranger"])
def test_others_may_not_act_even_with_a_form_of_their_own(role, request, letter):
    client, one = request.getfixturevalue(role), letter()
    assert client.post("/dead-letters/operations/", {"kind": "discard", "ids": [one]}).status_code == 403
    assert client.post("/operations/", form(kind="discard", ids=[one])).status_code == 403
    assert not Operation.objects.exists()
    assert DeadLetter.objects.get().status == "PENDING"


def test_form_of_another_person_cannot_be_used_again(operator, admin_user_client, letter):
    once = form(ids=[letter()])
    operator.post("/operations/", once)
    answer = admin_user_client.post("/operations/", once)
    assert answer.status_code == 422
    assert "already used for operation" in answer.context["errors"][0]


def test_cancelling_stops_it_and_says_so_once(operator, letter):
    location = operator.post("/operations/", form(ids=[letter()]))["Location"]
    operator.post(f"{location}cancellation/", follow=True)
    assert Operation.objects.get().status == "cancelled"
    again = operator.post(f"{location}cancellation/", follow=True)
    assert "already ended" in str(next(iter(again.context["messages"])))


def test_receipt_in_parts_is_not_kept_by_a_cache(operator, letter):
    location = operator.post("/operations/", form(ids=[letter()]))["Location"]
    part = operator.get(location, headers={"HX-Request": "true"})
    assert part.status_code == 200
    assert part["Cache-Control"] == "no-store"
    assert "HX-Request" in part["Vary"]
