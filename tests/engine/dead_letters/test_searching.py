"""What is searched is masked; a personal value is found as a whole, by its hash."""

import json

import psycopg
import pytest
from django.db import connection

from dlqconsole.engine.dead_letters import searching
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.errors import InvalidFilter
from dlqconsole.engine.models import DeadLetter, DeadLetterSearch, UnsearchedDeadLetter
from dlqconsole.engine.reach import EVERYTHING

PAYLOAD = {
    "order": "A-77", "customer": {"email": "Ada.Lovelace@example.org", "full_name": "Ada Lovelace"},
    "card": 4111111111111111, "password": "correct-horse", "birth_date": "1984-05-03", "city": "Lyon",
}  # fmt: skip


@pytest.fixture
def one(letter) -> int:
    return letter(
        payload=PAYLOAD, error_reason="no user ada.lovelace@example.org at desk 9", source_key="k-1"
    )


def found(**given) -> list[int]:
    return list(DeadLetterFilter.parse(given).prepared().queryset(EVERYTHING).values_list("pk", flat=True))


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("A-77", True), ("desk 9", True), ("k-1", True), ("Lyon", True),
        ("ada.lovelace@example.org", True), ("ADA.LOVELACE@example.org", True),
        ("no user ada.lovelace@example.org at", True), ("4111 1111 1111 1111", True), ("Ada Lovelace", True),
        ("no user eve@example.org at", False), ("ada.lovelace@example", False), ("ada.love", False),
        ("lovelace", False), ("411111111111111", False), ("Lovelac", False), ("correct-horse", False),
        ("1984-05-03", False), ("1984", False),
    ],
)  # fmt: skip
def test_what_is_masked_is_found_as_a_whole_or_not_at_all(one, text, is_found):
    assert bool(found(q=text)) is is_found


def test_a_filter_keeps_the_hash_and_never_the_value(one):
    parsed = DeadLetterFilter.parse({"q": "to Ada.Lovelace@example.org", "payload.customer.email": "x@y.org"})
    assert "ovelace" not in json.dumps(parsed.canonical())
    assert "y.org" not in parsed.words()
    assert DeadLetterFilter.from_canonical(parsed.canonical()) == parsed


def test_a_path_finds_a_masked_value_by_its_hash_and_secrets_by_nothing(one):
    assert found(**{"payload.customer.email": "ada.lovelace@example.org"}) == [one]
    assert found(**{"payload.customer.full_name": "Ada Lovelace"}) == [one]
    assert found(**{"payload.customer.full_name": "Ada"}) == []
    assert found(**{"payload.city": "Lyon"}) == [one]
    for path in ("password", "birth_date", "customer.password.0"):
        with pytest.raises(InvalidFilter, match="cannot be searched"):
            DeadLetterFilter.parse({f"payload.{path}": "correct-horse"})


def test_what_has_changed_is_not_found_by_what_was_looked_at_before(one):
    assert found(reason="desk 9") == [one]
    # as if the worker had no time: nothing is looked at
    DeadLetter.objects.filter(pk=one).update(error_reason="no user bob@example.org at desk 10")
    assert UnsearchedDeadLetter.objects.filter(pk=one).exists()
    stale = DeadLetterFilter.parse({"reason": "desk 9"})
    assert not stale.queryset(EVERYTHING).exists()
    assert found(reason="desk 10") == [one]
    assert found(q="bob@example.org") == [one]


def test_a_value_that_is_gone_is_not_found_at_its_path_any_more(one):
    address = {"payload.customer.email": "ada.lovelace@example.org"}
    assert found(**address) == [one]
    DeadLetter.objects.filter(pk=one).update(payload={"customer": {"email": "bob@example.org"}})
    stale = DeadLetterFilter.parse(address)
    assert not stale.queryset(EVERYTHING).exists()
    assert list(stale.unsearched(EVERYTHING).values_list("pk", flat=True)) == [one]
    assert found(**{"payload.customer.email": "bob@example.org"}) == [one]


def test_a_plain_dead_letter_costs_no_second_copy_and_what_is_gone_leaves_none(letter):
    plain = letter(payload={"order": 7}, error_reason="no connection")
    searching.look()
    row = DeadLetterSearch.objects.get(pk=plain)
    assert (row.names, row.reason, row.payload, row.marks) == (None, None, None, [])
    DeadLetter.objects.filter(pk=plain).delete()
    assert not DeadLetterSearch.objects.exists()


def test_other_rules_let_everything_be_looked_at_again(one, settings, monkeypatch):
    searching.look()
    monkeypatch.setattr(searching, "rules", lambda: "other")
    searching.look_again()
    assert not DeadLetterFilter.parse({"q": "A-77"}).queryset(EVERYTHING).exists()
    assert found(q="A-77") == [one]


def test_only_raw_looks_into_the_texts_as_they_are(one):
    assert found(raw="ada.love") == [one]
    assert found(raw="correct-h") == [one]
    assert "love" not in DeadLetterFilter.parse({"raw": "ada.love"}).words()


def test_a_change_beside_the_triggers_waits_too(one):
    searching.look()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("UPDATE dlq_events SET error_reason = 'bob@example.org' WHERE id = %s", [one])
        cursor.execute("SET LOCAL session_replication_role = origin")
    assert not DeadLetterFilter.parse({"reason": "bob@ex"}).queryset(EVERYTHING).exists()
    assert UnsearchedDeadLetter.objects.filter(pk=one).exists()


def test_a_search_leaves_long_texts_to_the_worker(letter):
    short = letter(payload={"order": "A-77"})
    long_ones = [
        letter(payload={"order": "A-77", "x": "x" * 1_000_000}),
        letter(payload={"order": "A-77"}, error_reason="x" * 5_000),
        letter(payload={"order": "A-77", "n": [int("9" * 900)] * 5}),
    ]
    assert found(q="A-77") == [short]
    assert set(UnsearchedDeadLetter.objects.values_list("pk", flat=True)) == set(long_ones)
    searching.look()
    assert sorted(found(q="A-77")) == sorted([short, *long_ones])


@pytest.mark.django_db(transaction=True)
def test_what_is_being_changed_is_not_looked_at_as_it_was(letter):
    """Else what is committed afterwards would pass for looked at."""
    one = letter(error_reason="nothing of anybody")
    changing = psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor})
    with changing:
        changing.execute("UPDATE dlq_events SET error_reason = 'for bob@example.org' WHERE id = %s", [one])
        assert searching.look() == 0
    assert not DeadLetterFilter.parse({"reason": "bob@ex"}).queryset(EVERYTHING).exists()
    assert found(reason="for bob@example.org") == [one]
