"""The receipt of a rehearsal: what would become of how many, and a revive of those that pass."""

import re
from html import unescape
from uuid import uuid4

import pytest

from dlqconsole.core import handling
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.models import Operation
from dlqconsole.operations.work import run
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - a fixture

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_worker")]


def asked(operator, **fields):
    form = {"scope": "all", "filter": "", "reason": "a test", "request_key": uuid4()}
    operator.post("/operations/", form | fields)
    operation = Operation.objects.latest("id")
    run.run(operation.pk)
    operation.refresh_from_db()
    return operation


def text_of(answer):
    return " ".join(re.sub("<[^>]*>", " ", answer.content.decode()).split())


def card_of(answer):
    (row,) = (each for each in answer.context["feature_cards"] if each["name"] == "rehearsals")
    return row["card"].context


@pytest.fixture
def rehearsal(operator, letter):
    """Three that would succeed, two that would not, one that writes, one that is not to be rehearsed."""
    for _each in range(3):
        letter("order.created", payload='{"order_id": 1}')
    for _each in range(2):
        letter("order.created", payload='{"do": "business", "tailnum": "ann@example.com"}')
    letter("order.created", payload='{"do": "write quietly"}')
    letter("order.keyed")
    assert handling.registry().rehearsable == {"order.created"}
    return asked(operator, kind="rehearse")


def test_it_says_what_would_happen_and_links_to_the_rows(operator, rehearsal):
    answer = operator.get(f"/operations/{rehearsal.pk}/")
    text = text_of(answer)
    sentence = "3 of 7 would succeed; 2 would fail as PlaneUnknown; 1 writes and cannot be rehearsed; "
    assert f"{sentence}1 was not rehearsed." in text
    assert "cannot be rehearsed: it writes — — its handler writes to a database, and does not" in text
    assert "not rehearsed — — its handler does not say that it can be" in text
    assert answer.context["outcomes"] == []
    assert card_of(answer)["outcomes"] == []
    assert "would fail PlaneUnknown Business PlaneUnknown: tailnum" in text
    assert "ann@example.com" not in answer.content.decode()
    for group in card_of(answer)["groups"]:
        page = operator.get(group.url)
        assert len(page.context["rows"]) == group.number
        assert "rehearsal says" in text_of(page)


def test_the_number_on_its_button_is_the_number_revived(operator, rehearsal):
    edited, discarded = DeadLetter.objects.order_by("id")[:2]
    DeadLetter.objects.filter(pk=discarded.pk).update(status="DISCARDED")
    text = text_of(operator.get(f"/operations/{rehearsal.pk}/"))
    assert "Revive the 2 that would succeed" in text
    assert "Retry now the 2 that would succeed" in text
    assert "Replay on Spark the 2 that would succeed" in text
    edited.payload = {"order_id": 2}
    edited.save(update_fields=["payload"])
    assert "Revive the one that would succeed" in text_of(operator.get(f"/operations/{rehearsal.pk}/"))
    fields = {
        "kind": "revive",
        "scope": "items",
        "operation": rehearsal.pk,
        "outcome": "done",
        "rehearsal": rehearsal.pk,
    }
    confirm = operator.post("/dead-letters/operations/", fields)
    assert confirm.context["preview"]["eligible"] == 1
    assert f"did not pass operation {rehearsal.pk}, or changed since" in text_of(confirm)
    revived = asked(operator, **fields)
    assert (revived.done, revived.skipped) == (1, 2)
    over = f"the dead letters of operation {rehearsal.pk} (rehearse) that would succeed"
    assert (confirm.context["preview"]["words"], revived.filter_words) == ([over], over)
    receipt = operator.get(f"/operations/{revived.pk}/")
    assert f'<a href="/operations/{rehearsal.pk}/">{over}</a>' in receipt.content.decode()
    assert "only what passed rehearsal" not in text_of(receipt)


def test_reasons_of_what_was_skipped_stand_once_each(operator, letter, rehearsal):
    """Several reasons of one outcome stand in the table of outcomes."""
    DeadLetter.objects.filter(event_type="order.keyed").update(event_type="nobody.handles")
    letter("order.keyed")
    answer = operator.get(f"/operations/{asked(operator, kind='rehearse').pk}/")
    reasons = [outcome.reason for outcome in card_of(answer)["outcomes"]]
    examples = [group.example for group in card_of(answer)["groups"]]
    assert len(reasons) == 2
    assert not {*reasons} & {*examples}
    for reason in reasons:
        # in the table, and with its item
        assert unescape(text_of(answer)).count(reason) == 2


def test_a_viewer_sees_it_and_may_start_nothing(viewer, rehearsal):
    answer = viewer.get(f"/operations/{rehearsal.pk}/")
    assert "3 of 7 would succeed" in text_of(answer)
    assert 'name="rehearsal"' not in answer.content.decode()


def test_a_rehearsal_that_is_none_is_said_beside_its_field(operator, letter):
    letter()
    fields = {"kind": "revive", "scope": "all", "filter": "", "rehearsal": "77"}
    answer = operator.post("/dead-letters/operations/", fields | {"request_key": uuid4()})
    assert "There is no operation 77." in text_of(answer)


def test_what_cannot_be_rehearsed_has_a_button_that_says_why(operator, letter, sample_handlers):  # noqa: F811
    one = letter("order.keyed")
    answer = operator.get(f"/dead-letters/{one}/")
    (action,) = (each for each in answer.context["actions"] if each["kind"].name == "rehearse")
    assert (action["enabled"], "a handler for it that can be rehearsed" in action["why_not"]) == (False, True)
    bulk = operator.get("/dead-letters/").context["bulk"]["first"]
    assert [(number.value, bool(why)) for kind, number, why in bulk if kind.name == "rehearse"] == [(0, True)]
    confirm = operator.post("/dead-letters/operations/", {"kind": "rehearse", "scope": "all", "filter": ""})
    assert "the handler of order.keyed does not say that it can be" in text_of(confirm)
