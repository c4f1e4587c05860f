"""The one filter: what it matches, how it is written down, and what it refuses."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter


@pytest.fixture
def letters(db):
    rows = [
        {"event_type": "a", "error_reason": "Down: db 1", "error_category": "TRANSIENT", "queue": "q1"},
        {"event_type": "a", "error_reason": "Down: db 2", "status": "DISCARDED"},
        {"event_type": "b", "error_reason": "Bad: 100% of_it", "payload": {"data": {"tail": "N1", "n": 7}}},
    ]
    return [
        DeadLetter.objects.create(source="s", source_key=str(number), **row)
        for number, row in enumerate(rows)
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {0, 1, 2}),
        ({"type": "a"}, {0, 1}),
        ({"type": "a", "status": "DISCARDED"}, {1}),
        ({"status": "discarded"}, {1}),
        ({"category": "TRANSIENT"}, {0}),
        ({"reason": "DB"}, {0, 1}),
        ({"reason": "100%"}, {2}),
        ({"reason": "100_"}, set()),
        ({"reason": "x" * 500}, set()),
        ({"queue": "q1"}, {0}),
        ({"queue": "b"}, {2}),
        ({"payload.data.tail": "N1"}, {2}),
        ({"payload.data.n": "7"}, {2}),
        ({"payload.data.missing": "7"}, set()),
        ({"payload.a') OR (1=1": "7"}, set()),
        ({"since": "1h"}, {0, 1, 2}),
        ({"until": "2020-01-01"}, set()),
        ({"unknown": "x", "page": "7"}, {0, 1, 2}),
    ],
)
def test_it_matches_what_it_says(letters, given, expected):
    found = DeadLetterFilter.parse(given).queryset()
    assert {letters.index(letter) for letter in found} == expected


def test_a_number_in_the_search_box_finds_that_dead_letter(letters):
    found = DeadLetterFilter.parse({"q": str(letters[1].pk)}).queryset()
    assert letters[1] in found


@pytest.mark.parametrize(
    "given",
    [
        {"type": "a\x00b"},
        {"q": "\ud800"},
        {"q": "x" * 501},
        {"status": "LOST"},
        {"category": "' OR 1=1"},
        {"group": "abc"},
        {"group": "-1"},
        {"group": "\uff11\uff12"},
        {"group": str(2**63)},
        {"group": "9" * 5000},
        {"since": "2024-02-30"},
        {"since": "31/31/2024"},
        {"since": "99999-01-01"},
        {"since": "0001-01-01T00:00+09:00"},
        {"since": "1999-12-31"},
        {"since": "2025-01-02", "until": "2025-01-01"},
        {"payload.": "x"},
        {f"payload.{n}": "x" for n in range(6)},
        {"payload.a\x00": "x"},
    ],
)
def test_what_cannot_be_understood_is_refused_with_a_sentence(given):
    with pytest.raises(InvalidFilter) as refused:
        DeadLetterFilter.parse(given)
    assert all(problem.endswith(".") for problem in refused.value.problems)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"since": "-24h"}, "since:24h"),
        ({"until": "7d"}, "until:7d"),
        ({"q": "-since:24h type:a"}, "type:a -since:24h"),
        ({"q": "type:a OR -(until:02h since:7d)"}, "type:a OR -(since:7d until:2h)"),
        ({"q": "since:[30d, 0h]"}, "since:[0h, 30d]"),
    ],
)
def test_an_age_stays_one_until_the_filter_is_fixed(given, kept):
    stored = DeadLetterFilter.parse(given)
    assert (stored.text, DeadLetterFilter.from_canonical(stored.canonical())) == (kept, stored)
    fixed = stored.fixed()
    assert not re.search(r"\d[hd]\b", fixed.text)
    assert DeadLetterFilter.from_canonical(fixed.canonical()).fixed().text == fixed.text


def test_a_fixed_age_is_the_moment_that_it_was():
    asked = DeadLetterFilter.parse({"since": "24h"})
    day_ago = timezone.now() - timedelta(days=1)
    fixed = asked.fixed()
    for moment in (asked.since, fixed.since):
        assert abs(moment - day_ago) < timedelta(minutes=1)
    assert asked.words() == "failed since 24h ago"
    assert fixed.words() == f"failed since {fixed.since.isoformat()}"


def test_a_kept_filter_stays_readable_when_its_age_passes_its_date(letters):
    passed = DeadLetterFilter.parse({"until": "7d", "since": f"{timezone.now():%Y-%m-%d}"})
    assert not passed.queryset().exists()
    with pytest.raises(InvalidFilter, match="since must be before until"):
        DeadLetterFilter.parse({"since": "1h", "until": "7d"})


@pytest.mark.parametrize(
    "given",
    [{"type": "a b&c=d", "q": "ünï 中文"}, {"since": "2025-01-01T03:00+02:00"}, {"payload.a.b": "x=y"}],
)
def test_its_address_reads_back_as_the_same_filter(given):
    from django.http import QueryDict

    parsed = DeadLetterFilter.parse(given)
    assert DeadLetterFilter.parse(QueryDict(parsed.querystring)) == parsed


def test_it_says_itself_in_words():
    assert DeadLetterFilter.parse({"type": "a", "status": "PENDING"}).words() == (
        "type is a and status is PENDING"
    )
    assert DeadLetterFilter.parse({}).words() == "all dead letters"


@pytest.mark.parametrize("given", ["1999-12-31T23:59:59Z", "2100-01-01"])
def test_moments_outside_this_century_are_typing_errors(given):
    assert DeadLetterFilter.parse({"since": "2000-01-01"}).since.year == 2000
    with pytest.raises(InvalidFilter, match="between 2000 and 2100"):
        DeadLetterFilter.parse({"since": given})


def test_filters_are_values():
    one, same = DeadLetterFilter(type="a"), DeadLetterFilter.parse({"type": "a"})
    assert len({one, same, DeadLetterFilter(type="b")}) == 2
    assert one != "type=a"
    assert repr(one) == "<filter: type is a>"


def test_what_a_filter_has_not_is_an_error_of_its_caller():
    with pytest.raises(TypeError, match="no part 'typ'"):
        DeadLetterFilter(typ="a")
    with pytest.raises(AttributeError, match="no part 'typ'"):
        _ = DeadLetterFilter().typ
