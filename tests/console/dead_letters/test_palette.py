"""The box on top leads to pages, views, failure groups, queues, event types and operations."""

import re
from html import unescape

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection

from dlqconsole.console.dead_letters.palette import MOST
from dlqconsole.console.models import SavedView
from dlqconsole.engine.models import DeadLetter, Queue
from dlqconsole.people.models import Scope
from tests.asking import ask_for

PART = re.compile(r'<div role="group" aria-label="([^"]*)"')
OPTION = re.compile(r'<a role="option".*?href="([^"]*)">\s*<span class="name">(.*?)</span>', re.DOTALL)


@pytest.fixture
def letters(letter):
    letter("order.made", queue="q 1", error_reason="Away: no <b>answer</b> of billing")
    letter("order.made", queue="q 1", error_reason="Away: no <b>answer</b> of billing")
    letter("mail", error_reason="Refused: ada@example.org is unknown", status="DISCARDED")


def places(client, text):
    """The entries below the box by the title of their part: (name, address)."""
    answer = client.get("/places", {"text": text})
    assert answer.status_code == 200
    _before, *parts = PART.split(answer.content.decode())
    return {
        title: [(unescape(name), unescape(url)) for url, name in OPTION.findall(html)]
        for title, html in zip(parts[::2], parts[1::2], strict=True)
    }


def group_of(event_type):
    return DeadLetter.objects.filter(event_type=event_type).values_list("group_id", flat=True)[0]


def discarding(event_type):
    ids = list(DeadLetter.objects.filter(event_type=event_type).values_list("pk", flat=True))
    return ask_for("discard", actor="user:1", reason="known", expected=len(ids), ids=ids)


def test_without_a_text_it_leads_to_pages_alone(letters, viewer):
    parts = places(viewer, "")
    assert list(parts) == ["Pages"]
    assert len(parts["Pages"]) == MOST
    assert parts["Pages"][:2] == [("Overview", "/"), ("Dead letters", "/dead-letters/")]


def test_each_sort_answers_to_a_part_of_a_name(letters, viewer):
    user = User.objects.get(username="viewer")
    view = SavedView.objects.create(user_id=user.pk, name="Billing waits", filter="type:order.made")
    operation = discarding("order.made")
    away = ("Away: no <b>answer</b> of billing", f"/groups/{group_of('order.made')}/")
    assert places(viewer, "hand") == {"Pages": [("Hand-over", "/handover/")]}
    assert places(viewer, "BILLING") == {
        "Views": [("Billing waits", f"/dead-letters/?q=type:order.made&view={view.pk}")],
        "Failure groups": [away],
    }
    assert places(viewer, "Q 1") == {"Queues": [("q 1", "/queues/=cSAx/")]}
    assert places(viewer, "er.ma") == {
        "Failure groups": [away],
        "Event types": [("order.made", "/dead-letters/?type=order.made")],
    }
    assert places(viewer, f"#{operation.pk}")["Operations"] == [
        (f"#{operation.pk}", f"/operations/{operation.pk}/")
    ]
    assert places(viewer, "nothing like this") == {}


def test_the_entry_counts_exactly_what_its_address_lists(letters, viewer):
    answer = viewer.get("/places", {"text": "order.m"}).content.decode()
    assert '<span class="count">2</span>' in answer
    assert viewer.get("/dead-letters/?type=order.made").context["count"].value == 2


def test_names_are_masked_and_no_mask_is_guessed(letter, viewer, operator):
    letter("mail", queue="of ada@example.org")
    assert places(viewer, "ada@") == {}
    [[(name, _url)]] = places(operator, "ada@").values()
    assert "ada@example.org" not in name


def test_markup_stays_text(letters, viewer):
    assert "<b>" not in viewer.get("/places", {"text": "away"}).content.decode()


def test_at_most_ten_and_each_sort_has_its_share(letter, viewer):
    for number in range(12):
        letter(f"re.{number}", queue=f"re-{number}", error_reason=f"Re{'xy'[number % 2]}: no")
    parts = places(viewer, "re")
    assert sum(map(len, parts.values())) == MOST
    assert {"Pages", "Failure groups", "Queues", "Event types"} == {*parts}
    assert all(len(parts[title]) >= 2 for title in ("Failure groups", "Queues", "Event types"))


def test_who_sees_a_part_is_led_to_that_part_alone(letters, operator):
    SavedView.objects.create(user_id=0, name="order of others", filter="type:mail", is_shared=True)
    Queue.objects.create(name="order.secret")
    number = discarding("order.made").pk
    assert list(places(operator, f"{number}")) == ["Operations"]
    Scope.objects.create(user=User.objects.get(username="operator"), event_type="mail")
    assert [*places(operator, "order"), *places(operator, f"{number}"), *places(operator, "away")] == []
    assert list(places(operator, "mail")) == ["Failure groups", "Event types"]


@pytest.mark.django_db(transaction=True)
def test_what_takes_too_long_is_left_out(letters, viewer):
    settings = connection.settings_dict
    address = {name.lower(): settings[name] for name in ("HOST", "PORT", "USER", "PASSWORD")}
    with psycopg.connect(dbname=settings["NAME"], **address) as other:
        other.execute("LOCK TABLE dead_letter_counts")
        assert list(places(viewer, "order")) == []
        assert list(places(viewer, "over")) == ["Pages"]
