"""Visits: a page names the others who have it open, and never waits or fails for their sake."""

import time

import psycopg
import pytest
from django.db import connection

from dlqconsole.people import visits

pytestmark = pytest.mark.django_db
ANA, BO = "user:1", "user:2"


def execute(statement: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def others(page: str, actor: str, nearby: str = "") -> list[tuple[str, str]]:
    return [(each.actor, each.page) for each in visits.visit(page, actor, nearby)]


def test_a_page_names_the_others_who_have_it_open(db):
    assert others("group:1", ANA) == []
    assert others("group:1", BO) == [(ANA, "group:1")]
    assert others("group:1", ANA) == [(BO, "group:1")]
    assert others("group:2", ANA) == []
    assert others("dead_letter:1", BO, nearby="group:2") == [(ANA, "group:2")]


def test_a_visit_ends_by_itself_and_then_begins_anew():
    visits.visit("group:1", ANA)
    execute("UPDATE page_visits SET since = since - interval '5 minutes'")
    visits.visit("group:1", ANA)
    assert visits.visit("group:1", BO)[0].seconds == pytest.approx(300, abs=20)
    execute("UPDATE page_visits SET seen_at = seen_at - interval '31 seconds'")
    assert visits.visit("group:1", BO) == []
    visits.visit("group:1", ANA)
    assert visits.visit("group:1", BO)[0].seconds < 20


def test_what_ended_is_forgotten():
    visits.visit("group:1", ANA)
    visits.visit("group:1", BO)
    execute("UPDATE page_visits SET seen_at = seen_at - interval '2 hours' WHERE actor = 'user:1'")
    visits.forget_old()
    assert execute("SELECT actor FROM page_visits") == [(BO,)]


@pytest.mark.django_db(transaction=True)
def test_where_it_cannot_be_written_the_page_goes_on_without(viewer, letter):
    address = f"/dead-letters/{letter()}/"
    with psycopg.connect(
        connection.connection.info.dsn, password=connection.settings_dict["PASSWORD"]
    ) as other:
        other.execute("LOCK TABLE page_visits IN ACCESS EXCLUSIVE MODE")
        began = time.monotonic()
        assert viewer.get(address).status_code == 200
        assert time.monotonic() - began < 5  # any other statement would wait ten seconds
    execute("SET default_transaction_read_only = on")
    try:
        assert visits.visit("group:1", ANA) == []
        assert viewer.get(address).status_code == 200
    finally:
        execute("SET default_transaction_read_only = off")
