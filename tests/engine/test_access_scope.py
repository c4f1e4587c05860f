"""An access scope means the same to Python, to the ORM, to named queries and to the counts."""

from itertools import product

import pytest

from dlqconsole.core.named_sql import fetch_column
from dlqconsole.engine.access_scope import EVERYTHING, AccessScope, asking_as
from dlqconsole.engine.counts import rollups
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter

# what LIKE and regular expressions would take for more than itself is a name like any other
NAMES = ("orders", "orders.eu", "orders.eu.1", "orders_eu", "o%", "o%x", "a\\", "a\\b", "unknown")
PATTERNS = ("*", "orders", "orders.*", "orders.eu.*", "o%*", "o%", "orders_*", "a\\*", "nothing")
SCOPES = [AccessScope.of([pair]) for pair in product(PATTERNS, PATTERNS)]
SCOPES += [AccessScope.of([("orders", "*"), ("*", "o%*")]), AccessScope.of([]), EVERYTHING]


@pytest.fixture
def letters(letter) -> list[tuple[int, str, str]]:
    """Number, queue and event type; without a queue it is on the one named after its type."""
    found = [(letter(name), name, name) for name in NAMES]
    return found + [(letter(name, queue=queue), queue, name) for name in NAMES[:4] for queue in NAMES[::2]]


def test_everybody_means_the_same(letters):
    for scope in SCOPES:
        seen = {number for number, queue, event_type in letters if scope.sees(queue, event_type)}
        by_orm = set(scope.limit(DeadLetter.objects.all()).values_list("pk", flat=True))
        query = f"SELECT id FROM dlq_events d WHERE {scope.letters('d')}"
        with asking_as(scope):
            counted = sum(rollups.by_status(DeadLetterFilter()).values())
        assert by_orm == seen, scope
        assert set(fetch_column(query, scope.values())) == seen, scope
        assert counted == len(seen), scope


def test_what_both_see_is_what_each_sees(letters):
    pairs = {(queue, event_type) for _number, queue, event_type in letters}
    for one, other in product(SCOPES[::7], SCOPES[::5]):
        both = one.intersection(other)
        for queue, event_type in pairs:
            assert both.sees(queue, event_type) == (
                one.sees(queue, event_type) and other.sees(queue, event_type)
            ), (one, other)
        assert one.covers(both)
        assert other.covers(both)


def test_a_queue_is_seen_as_a_whole_or_not_at_all():
    scope = AccessScope.of([("orders", "*"), ("billing", "paid")])
    assert [scope.sees_queue(name) for name in ("orders", "billing", "others")] == [True, False, False]
    # onto a queue goes only what everybody who sees it may put there
    assert [scope.names_queue(name) for name in ("orders", "billing")] == [True, False]
    assert AccessScope.of([("*", "paid")]).names_queue("billing")


def test_words_as_the_head_of_a_page_says_them():
    assert AccessScope.of([("*", "a.*"), ("q", "*"), ("q", "b")]).words() == "a.*, queue q, b on queue q"
    assert (EVERYTHING.words(), AccessScope.of([]).words()) == ("everything", "nothing")
    assert AccessScope.of([("*", "a"), ("*", "*")]) == EVERYTHING
