"""A dead letter's page shows what failed with it, the first domino first, and offers what is left."""

import json
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from dlqconsole.engine.models import DeadLetter
from tests.moving import bring_to
from tests.security.scoped_world import limited

pytestmark = pytest.mark.django_db

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture
def dominoes(letter) -> list[int]:
    """An order failed, then its payment, then its parcel; they were stored the other way round."""
    start = timezone.now() - timedelta(hours=1)
    columns = [
        ("order.shipped", _traced("aa", **{"Correlation-Id": "ab-7"})),
        ("order.paid", _traced("bb")),
        ("order.created", _traced("cc")),
    ]
    ids = [
        letter(
            kind,
            headers=headers,
            source_key=kind,
            first_failure_at=start - timedelta(minutes=place),
        )
        for place, (kind, headers) in enumerate(columns)
    ]
    return ids[::-1]


def _traced(span, **more):
    return json.dumps({"traceparent": f"00-{TRACE}-00f067aa0ba902{span}-01"} | more)


def only(number):
    return DeadLetter.objects.filter(pk=number)


def card(client, number):
    page = client.get(f"/dead-letters/{number}/").content.decode()
    return page.partition('id="cascade-title"')[2].partition("</section>")[0]


def offered(client, number):
    return [int(text) for text in re.findall(r'name="ids" value="(\d+)"', card(client, number))]


def test_the_first_that_failed_is_to_be_revived_first(operator, dominoes):
    first, *_, last = dominoes
    words = card(operator, last)
    assert words.index("order.created") < words.index("order.paid") < words.index("order.shipped")
    assert "This one" in words.partition("order.paid")[2]
    assert offered(operator, last) == [first]
    assert "Revive the first" in words


def test_once_the_first_succeeded_only_the_rest_is_offered(operator, dominoes):
    first, second, third = dominoes
    bring_to("REVIVED", only(first))
    assert offered(operator, second) == []
    assert "under way" in card(operator, second)
    bring_to("SUCCEEDED", only(first))
    bring_to("SUCCEEDED", only(second))
    assert offered(operator, first) == [third]
    bring_to("DISCARDED", only(third))
    assert "Nothing is left to revive" in card(operator, first)


def test_a_correlation_id_joins_too_and_an_equal_key_does_not(operator, letter, dominoes):
    friend = letter("invoice.due", headers='{"x_correlation_id": "AB-7"}', source_key="z")
    stranger = letter("invoice.due", source_key="ab-7")
    assert str(dominoes[-1]) in card(operator, friend)
    assert "order.created" not in card(operator, friend)
    assert card(operator, stranger) == ""


def test_nobody_sees_more_of_a_cascade_than_of_the_list(dominoes):
    limited_person = limited("operator", [("*", "order.paid"), ("*", "order.shipped")])
    assert "order.created" not in card(limited_person, dominoes[1])
    assert offered(limited_person, dominoes[1]) == [dominoes[1]]


def test_reasons_are_masked(viewer, letter):
    one = letter(headers=_traced("aa"), source_key="1", error_reason="no invoice for ann.smith@example.org")
    letter(headers=_traced("bb"), source_key="2")
    assert "‹email›" in card(viewer, one)
    assert "ann.smith" not in card(viewer, one)
