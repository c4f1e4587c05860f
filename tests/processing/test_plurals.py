"""Names in a sentence."""

import pytest

from dlqconsole.processing.quantities import named


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (["a", "b", "c", "d"], "a, b, c and 1 more"),
    ],
)
def test_names_are_listed_up_to_a_number(names, words):
    assert named(names, 3) == words
