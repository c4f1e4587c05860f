"""Texts of one shape are masked as the walk would mask each of them."""

import json
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dlqconsole.processing.masking import Masker, shapes
from dlqconsole.processing.masking.reversible import ReversibleMasker
from tests.processing.test_plain_texts import KEYS, VALUES, escaped, free, trees
from tests.sizes import sized

NAMED = ["name", "value", "Val", "key", "k", "email", "note", "password", "joe@example.org", '{"email": 1}']


class _Walker(Masker):
    """Masks without knowing shapes, and without the quick look."""

    def json(self, text: str) -> str:
        return self._json(text, 0)

    def _json(self, text: str, depth: int) -> str:
        return self._walk(text, depth)


MORE = ["orderRef", "flightNo"]
PAIRS = [(Masker(), _Walker()), (Masker(MORE), _Walker(MORE)), (Masker((), b"s"), _Walker((), b"s"))]
scalars = st.sampled_from(VALUES) | st.sampled_from(NAMED) | free | st.integers(-5, 10**19) | st.floats()
named = st.recursive(
    st.none() | st.booleans() | scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMED) | st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=10,
)


def alike(tree: object, choice: random.Random) -> object:
    """The same shape with other values."""
    if isinstance(tree, dict):
        return {key: alike(value, choice) for key, value in tree.items()}
    if isinstance(tree, list):
        return [alike(value, choice) for value in tree]
    if tree is None or isinstance(tree, bool):
        return tree
    return choice.choice([tree, *VALUES, *NAMED, 7, -1.5, 4111111111111111, "", '{"pin": 5}', "\\", "a\nb"])


def agree(text: str) -> None:
    for quick, walker in PAIRS:
        assert quick.json(text) == walker.json(text)


@pytest.mark.sized
@settings(max_examples=sized(150, 1_500))
@given(trees | named, st.booleans(), st.sampled_from([None, 1]), st.randoms(use_true_random=False))
@example([{"name": 5, "value": 6}], False, None, random.Random(1))
@example([[1, 2], [3, 4]], False, None, random.Random(2))
@example({"email": "", "n": ""}, False, None, random.Random(3))
@example({"a": "x", "b": {"email": "y"}}, True, None, random.Random(4))
def test_texts_of_one_shape_are_masked_as_by_the_walk(tree, ascii_only, indent, choice):
    for other in [tree, *(alike(tree, choice) for _ in range(4))]:
        text = json.dumps(other, ensure_ascii=ascii_only, indent=indent)
        agree(text)
        agree(escaped(text, choice.randrange(500)))


@pytest.mark.sized
@settings(max_examples=sized(150, 1_500))
@given(st.lists(st.sampled_from(['{"email":', '"a": ', "[", "]", "}", ",", "5", '"\\x"', '"x"', " ", "NaN"])))
def test_what_is_no_json_is_masked_as_by_the_walk(pieces):
    text = "".join(pieces)
    for _ in range(3):
        agree(text)


@pytest.mark.parametrize(
    ("first", "then", "masked"),
    [
        ({"name": 1, "value": 2}, {"name": "pin", "value": "x"}, {"name": "pin", "value": "‹password›"}),
        ({"value": 2, "name": 1}, {"value": "x", "name": "pin"}, {"value": "‹password›", "name": "pin"}),
        ({"a": [[1, 2]]}, {"a": [["ssn", 5]]}, {"a": [["ssn", "‹national id›"]]}),
        ({"to": "nobody"}, {"to": "joe@example.org"}, {"to": "‹email›"}),
        ({"n": 5}, {"n": 4111111111111111}, {"n": "‹card›"}),
        ({"a": "x"}, {"a": '{"pin": 5}'}, {"a": '{"pin": "‹password›"}'}),
    ],
)  # fmt: skip
def test_a_value_that_betrays_itself_or_another_is_seen_behind_a_known_shape(first, then, masked):
    masker = Masker()
    # one that is not plain, so that the shape is learned
    for _ in range(3):
        masker.json(json.dumps(first | {"email": "x"}))
    assert json.loads(masker.json(json.dumps(then | {"email": "x"}))) == masked | {"email": "‹email›"}


def test_marks_of_a_known_shape_are_put_back():
    masker = ReversibleMasker((), b"s")
    texts = [json.dumps({"email": f"user{number}@example.org", "n": number}) for number in range(4)]
    assert [masker.put_back_json(masker.json(text)) for text in texts] == texts


def test_what_is_remembered_of_shapes_is_bounded(monkeypatch):
    for name in ("_KEPT", "_MET"):
        monkeypatch.setattr(shapes, name, 3)
    masker = Masker()
    for number in range(20):
        for _ in range(3):
            assert (
                masker.json(f'{{"k{number}": 1, "email": "x"}}') == f'{{"k{number}": 1, "email": "‹email›"}}'
            )
    assert len(masker._shapes._plans) <= 3
    assert len(masker._shapes._met) <= 3
