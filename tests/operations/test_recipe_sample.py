"""A recipe is tried on a sample where there are more dead letters than one waits for."""

import pytest

from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.operations.requests import recipes
from dlqconsole.operations.requests.scope import ItemsOf, Matching, Rows
from dlqconsole.processing.patching import read_recipe
from tests.operations.conftest import ask, work

pytestmark = pytest.mark.django_db(transaction=True)
RECIPE = read_recipe('[{"op": "replace", "path": "/n", "value": 2}]')


@pytest.fixture(autouse=True)
def small_samples(monkeypatch):
    monkeypatch.setattr(recipes, "SAMPLE", 6)


def test_of_many_that_match_it_is_tried_on_some_and_says_so(letters):
    letters(40, payload='{"n": 1}')
    found = recipes.preview(RECIPE, Matching(DeadLetterFilter()))
    assert 0 < found.tries <= 6
    assert (found.would_change, found.all) == (found.tries, False)


def test_of_few_it_is_tried_on_all(letters):
    letters(6, payload='{"n": 1}'), letters(9, "other", payload='{"n": 1}')
    found = recipes.preview(RECIPE, Matching(DeadLetterFilter(type="order.created")))
    assert (found.tries, found.all) == (6, True)


def test_ticked_rows_and_an_operations_items_are_a_sample_of_themselves(letters):
    ids = letters(8, payload='{"n": 1}')
    operation = ask("discard", ids=ids[:2])
    work()
    found = recipes.preview(RECIPE, Rows.of(ids))
    assert (found.tries, found.all) == (6, False)
    found = recipes.preview(RECIPE, ItemsOf(operation.pk, "done"))
    assert (found.tries, found.would_change, found.all) == (2, 0, True)
    assert [reason.sentence for reason in found.refusals] == ["is DISCARDED: restore it first"]
