"""The number that a form says its page showed is counted anew: a forged one begins nothing."""

from uuid import uuid4

import pytest

from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests import preview as previews
from tests.operations.conftest import work
from tests.plain_sql import column

pytestmark = pytest.mark.django_db(transaction=True)

CREATE = "/operations/"
NOW = "It was 1 when you looked, it is 50 now: confirm again."


def form(**fields: object) -> dict:
    sent = {"kind": "revive", "scope": "all", "filter": "", "reason": "a test", "expected": 1}
    return sent | {"request_key": uuid4()} | fields


def shown(answer) -> dict:
    """What the confirm page sends back."""
    preview = answer.context["preview"]
    return {"request_key": answer.context["request_key"]} | {
        name: str(value) for name, value in preview["hidden"] if name != "ids"
    }


@pytest.mark.parametrize(
    "forged",
    [
        {},
        {"kind": "discard", "typed_count": "1"},
        # only the number that is typed
        {"kind": "discard", "expected": 50, "acts_on": 1, "typed_count": "1"},
        {"kind": "discard", "expected": 2**31 - 1, "acts_on": 1, "typed_count": "1"},
        {"expected_exact": "False"},
    ],
)
def test_far_fewer_than_there_are_begin_nothing(operator, letters, forged):
    letters(50)
    answer = operator.post(CREATE, form(**forged))
    assert answer.status_code == 422
    said = "1 or more" if "expected_exact" in forged else "1"
    assert answer.context["errors"] == [NOW.replace("1", said, 1)]
    assert not Operation.objects.exists()
    typed = {"typed_count": "50"} if forged.get("kind") == "discard" else {}
    assert operator.post(CREATE, form(**forged) | shown(answer) | typed).status_code == 302
    assert (Operation.objects.get().expected, Operation.objects.get().expected_exact) == (50, True)


def test_ticked_rows_are_counted_as_well(operator, letters):
    ids = letters(50, status="DISCARDED")
    forged = form(kind="purge", scope="rows", ids=ids, typed_count="1")
    assert operator.post(CREATE, forged).context["errors"] == [NOW]
    assert not Operation.objects.exists()


def test_who_is_alone_types_no_forged_number(operator, letters, settings):
    settings.DLQ_FOUR_EYES_ABOVE = 20
    letters(50)
    answer = operator.post(CREATE, form(expected=50, acts_on=1, typed_count="1"))
    assert answer.context["errors"] == [NOW]
    assert not Operation.objects.exists()


def test_a_form_without_its_number_begins_nothing(operator, letters):
    letters(1)
    sent = form(kind="discard", typed_count="0")
    del sent["expected"]
    answer = operator.post(CREATE, sent)
    assert answer.context["errors"] == [
        "The form lost the count that it showed. Look at it again, then confirm."
    ]
    assert not Operation.objects.exists()


def test_what_arrived_while_the_page_was_read_is_no_part_of_it(operator, letters):
    """J6: the number on the button is the number that is revived; later arrivals are a chip."""
    letters(50)
    page = operator.post("/dead-letters/operations/", {"kind": "revive", "scope": "all", "filter": ""})
    assert str(page.context["preview"]["acts_on"]) == "50"
    letters(40)
    assert operator.post(CREATE, form() | shown(page)).status_code == 302
    work()
    operation = Operation.objects.get()
    assert (operation.expected, operation.selected, operation.done) == (50, 50, 50)
    receipt = operator.get(f"/operations/{operation.pk}/").content.decode()
    assert "40 that came later match too" in " ".join(receipt.split())


def test_a_forged_end_takes_nothing_that_comes_later(operator, letters):
    letters(2)
    operator.post(CREATE, form(expected=2, up_to=10**15))
    letters(1)
    work()
    assert Operation.objects.get().selected == 2


def test_there_may_be_fewer_by_now(operator, letters):
    letters(5)
    assert operator.post(CREATE, form(expected=50)).status_code == 302


def test_what_cannot_be_counted_any_more_is_confirmed_again(operator, letters, monkeypatch):
    letters(1)
    monkeypatch.setattr(previews, "COUNT_BUDGET_MS", 0)
    answer = operator.post(CREATE, form())
    assert answer.context["errors"] == ["It was 1 when you looked, it is 1 or more now: confirm again."]
    assert operator.post(CREATE, form() | shown(answer)).status_code == 302


def test_a_form_sent_twice_is_not_counted_twice(operator, letters):
    letters(50)
    sent = form(kind="restore", filter="status=DISCARDED", expected=0)
    first = operator.post(CREATE, sent)
    discarded = form(kind="discard", expected=50, typed_count="50")
    operator.post(CREATE, discarded)
    work()
    assert column("SELECT count(*) FROM dlq_events WHERE status = 'DISCARDED'") == [50]
    assert operator.post(CREATE, sent)["Location"] == first["Location"]
