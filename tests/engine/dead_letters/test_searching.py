"""What a search means: groups' sentences, types and ids for everybody; values for who operates."""

import json
from dataclasses import replace

import pytest

from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.access_scope import EVERYTHING, AccessScope, asking_as
from dlqconsole.engine.counts import rollups, summaries
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.dead_letters.payload_indexes import VALUES
from dlqconsole.engine.models import DeadLetter
from tests.plain_sql import execute

LOOKS = replace(EVERYTHING, searches_values=False)
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture
def one(letter) -> int:
    return letter(
        "order.created",
        payload={
            "order": "A-77",
            "n": 7,
            "neg": -7,
            "deep": {"of": [{"sku": "x 1"}]},
            "full_name": "Ada B",
        },
        error_reason="Refused: no user ada@example.org at desk 9",
        source_key="K-1",
        original_message_id=900_017,
        headers=json.dumps({"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01", "Correlation-Id": "corr-5"}),
    )


def found(scope: AccessScope = EVERYTHING, **given: str) -> list[int]:
    with asking_as(scope):
        return list(DeadLetterFilter.parse(given).queryset().values_list("pk", flat=True))


@pytest.mark.parametrize(
    ("text", "looks", "operates"),
    [
        ("refused", True, True), ("no user", True, True), ("ORDER.crea", True, True),
        ("K-1", True, True), ("k-1", True, True), ("900017", True, True), (TRACE, True, True),
        ("corr-5", True, True), ("corr", False, False), ("K-", False, False),
        ("desk 9", False, True), ("ada@example.org", False, True), ("ada@ex", False, True),
        ("nowhere", False, False),
    ],
)  # fmt: skip
def test_who_looks_finds_sentences_and_ids_and_who_operates_values(one, letter, text, looks, operates):
    letter("other", error_reason="Down", source_key="x")
    assert (found(LOOKS, q=text), found(q=text)) == ([one] * looks, [one] * operates)


def test_its_own_number_is_found(one):
    assert found(LOOKS, q=str(one)) == found(q=str(one)) == [one]


def test_a_sentence_is_searched_as_it_is_shown(letter):
    """A rule, or a name that no pattern of ours takes out, may bring something personal into a sentence."""
    letter(error_reason="Refused: the password=hunterhunter was wrong")
    assert found(LOOKS, reason="was wrong") == found(reason="hunterhunter")
    assert found(LOOKS, reason="hunter") == []


def test_who_is_limited_finds_nothing_by_the_name_of_a_merged_group(letter):
    own, theirs = letter("a", error_reason="Down: our own"), letter("b", error_reason="Down: of others")
    groups = dict(DeadLetter.objects.values_list("pk", "group_id"))
    execute(
        "INSERT INTO group_merges (fingerprint_id, group_id, actor, reason) VALUES (%s, %s, 'x', 'y')",
        groups[own],
        groups[theirs],
    )
    DeadLetter.objects.filter(pk=own).update(group_id=groups[theirs])
    limited = replace(AccessScope.of([("*", "a")]), searches_values=False)
    assert sorted(found(LOOKS, reason="of others")) == sorted([own, theirs])
    assert found(limited, reason="of others") == []


@pytest.mark.parametrize(
    ("path", "text", "is_there"),
    [
        ("order", "A-77", True), ("n", "7", True), ("neg", "-7", True), ("deep.of.0.sku", "x 1", True),
        ("deep.of.0", '{"sku": "x 1"}', True), ("order", "A-7", False), ("nowhere", "7", False),
        ("full_name", "Ada B", True),
    ],
)  # fmt: skip
def test_a_path_into_the_payload_is_for_who_operates(one, path, text, is_there):
    given = {f"payload.{path}": text}
    assert found(**given) == [one] * is_there
    assert found(LOOKS, **given) == []
    with asking_as(LOOKS), pytest.raises(InvalidFilter, match="only operators may search values"):
        DeadLetterFilter.parse(given).naming_what_is_there()


def test_receipts_and_the_audit_say_no_value_that_a_key_hides():
    parsed = DeadLetterFilter.parse({"payload.full_name": "Ada B"})
    assert parsed.words() == "payload.full_name is ‹name›"
    assert parsed.canonical() == {"q": 'payload.full_name:"Ada B"'}


def test_the_search_box_finds_whole_values_of_payloads_where_they_are_indexed(one):
    assert found(q="A-77") == []
    execute(f"CREATE INDEX {VALUES} ON dlq_events USING gin (payload)")
    assert found(q="A-77") == found(q="x 1") == found(q="7") == [one]
    assert found(q="A-7") == found(LOOKS, q="A-77") == []


def test_a_word_that_groups_say_is_counted_by_them_and_the_rest_by_index(letter):
    for number in range(3):
        letter(error_reason=f"Timeout: upstream {number} is away")
    letter(error_reason="Timeout: upstream 3 is away", status="EXHAUSTED")
    quoted = letter(error_reason="Odd: 'upstream' was said")
    letter(error_reason="Down: another")
    matching = DeadLetterFilter.parse({"reason": "upstream"})
    counts = summaries.status_counts(matching)
    assert (counts["PENDING"], counts["EXHAUSTED"]) == (Count(4), Count(1))
    assert summaries.count_matching(matching) == Count(5)
    assert quoted in found(reason="upstream")
    with asking_as(LOOKS):
        assert summaries.count_matching(matching) == Count(4)


def test_what_groups_say_is_known_exactly_where_there_is_no_time_for_the_rest(letter, monkeypatch):
    def too_slow(rows, event_types):
        raise summaries.TooSlow

    for number in range(3):
        letter(error_reason=f"Timeout: upstream {number} is away")
    monkeypatch.setattr(summaries, "_grouped_by_status", too_slow)
    matching = DeadLetterFilter.parse({"reason": "upstream"})
    assert summaries.status_counts(matching)["PENDING"] == Count(3, is_least=True)
    with asking_as(LOOKS):
        assert summaries.status_counts(matching)["PENDING"] == Count(3)
    assert str(summaries.status_counts(matching)["EXHAUSTED"]) == "some"


def test_other_parts_and_states_count_with_it(letter):
    (
        letter("a", error_reason="Timeout: upstream is away"),
        letter("b", error_reason="Timeout: upstream is away"),
    )
    matching = DeadLetterFilter.parse({"q": "upstream", "type": "a"})
    assert summaries.count_matching(matching) == Count(1)
    assert rollups.covers_beside(matching)
    since = DeadLetterFilter.parse({"q": "upstream", "since": "1h"})
    assert not rollups.covers_beside(since)
    assert summaries.count_matching(since) == Count(2)


def test_an_id_is_found_in_no_time_where_texts_take_too_long(one):
    with asking_as(LOOKS):
        assert list(DeadLetterFilter.parse({"q": "corr-5"}).by_id().values_list("pk", flat=True)) == [one]


def test_a_reason_longer_than_what_is_searched_costs_no_more_than_another(letter):
    one = letter(error_reason="Long: " + "y" * 9_000 + " theend")
    assert found(reason="long: yyy") == [one]
    assert found(reason="theend") == []
