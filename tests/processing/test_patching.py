"""Recipes change what they name and nothing else, and say by number what they cannot do."""

import time

import pytest

from dlqconsole.processing import exact_json
from dlqconsole.processing.differences import difference
from dlqconsole.processing.patching import PatchRefused, RecipeRefused, read_recipe


def patched(recipe, payload):
    return exact_json.dumps(read_recipe(recipe).apply(exact_json.loads(payload)))


def test_what_a_recipe_does_not_name_keeps_every_digit():
    before = (
        '{"id":1234567890123456789,"big":12345678901234567890.123456789,"price":1.10,"tiny":0.00000010,"n":1}'
    )
    after = patched('[{"op":"replace","path":"/n","value":2.50}]', before)
    assert after == before.replace('"n":1}', '"n":2.50}')


@pytest.mark.parametrize(
    ("recipe", "problem"),
    [
        ("{}", "A recipe is a list of operations"),
        ("[]", "A recipe is a list of operations"),
        ("[", "The recipe is not JSON as it should be: not JSON, expecting value at line 1, column 2"),
        ('[{"op":"add","path":"/a","path":"/b","value":1}]', 'key "path" appears twice'),
        ("[1]", "Operation 1 is not an object."),
        ('[{"op":"test","path":"/a","value":1},{"op":"set","path":"/a"}]', "Operation 2: op is one of add"),
        ('[{"op":"add","path":"a","value":1}]', "Operation 1 (add “a”): Location must start with /."),
        ('[{"op":"add","path":"/a"}]', "Operation 1 (add “/a”): it has no value."),
        ('[{"op":"add","path":7,"value":1}]', "Operation 1 (add “7”): Invalid 'path'."),
        ('[{"op":"move","from":"a","path":"/b"}]', "Operation 1 (move “/b”): Location must start with /."),
        ('[{"op":"copy","path":"/b"}]', "Operation 1 (copy “/b”): "),
        ('[{"op":"remove","path":""}]', "Operation 1: the whole payload cannot be removed."),
        ("[" + ",".join(['{"op":"remove","path":"/a"}'] * 101) + "]", "101 operations, more than 100"),
        ('["' + "x" * 65_536 + '"]', "longer than 64 KB"),
        ('[{"op":"add","path":"/a","value":NaN}]', "NaN is not JSON at line 1, column 34"),
    ],
)
def test_a_recipe_that_cannot_be_understood_is_refused_by_number(recipe, problem):
    with pytest.raises(RecipeRefused) as refused:
        read_recipe(recipe)
    assert problem in str(refused.value)


@pytest.mark.parametrize(
    ("recipe", "problem"),
    [
        ('[{"op":"remove","path":"/secret/x"}]', "operation 1 (remove “/secret/x”): "),
        ('[{"op":"replace","path":"/none","value":1}]', "there is nothing at “/none”"),
        ('[{"op":"move","from":"/none","path":"/a"}]', "there is nothing at “/none”"),
        ('[{"op":"test","path":"/yes","value":1}]', "the test failed: another value is there, or none"),
    ],
)
def test_what_cannot_be_applied_says_why_and_never_a_value(recipe, problem):
    with pytest.raises(PatchRefused) as refused:
        patched(recipe, '{"secret":"hunter2","yes":true}')
    assert problem in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_one_payload_leaves_no_trace_in_the_next():
    recipe = read_recipe('[{"op":"add","path":"/l","value":[]},{"op":"add","path":"/l/-","value":1}]')
    assert [recipe.apply({}), recipe.apply({})] == [{"l": [1]}, {"l": [1]}]


def test_copies_of_copies_cannot_burst_the_memory():
    bomb = "[" + ",".join(f'{{"op":"copy","from":"","path":"/x{n}"}}' for n in range(60)) + "]"
    started = time.monotonic()
    with pytest.raises(PatchRefused, match="too large or too deep"):
        patched(bomb, '{"a":"' + "x" * 1000 + '"}')
    assert time.monotonic() - started < 5


def test_spaces_and_order_do_not_count_but_digits_do():
    assert exact_json.canonical('{"a": 1, "b":[2]}') == exact_json.canonical('{"b":[2],"a":1}')
    assert exact_json.canonical("1.10") != exact_json.canonical("1.1")
    assert exact_json.canonical("1E5") == exact_json.canonical("100000")


def test_a_difference_shows_the_change_and_a_little_around_it():
    before = "\n".join(f"line {number}" for number in range(1, 21))
    found = difference(before, before.replace("line 10\n", "line ten\nline more\n"))
    assert (found.additions, found.removals) == (2, 1)
    assert [(line.kind, line.text) for line in found.lines] == [
        ("gap", ""), ("same", "line 7"), ("same", "line 8"), ("same", "line 9"),
        ("removed", "line 10"), ("added", "line ten"), ("added", "line more"),
        ("same", "line 11"), ("same", "line 12"), ("same", "line 13"), ("gap", ""),
    ]  # fmt: skip
    assert [(line.old, line.new) for line in found.lines[4:8]] == [
        (10, None),
        (None, 10),
        (None, 11),
        (11, 12),
    ]


def test_equal_texts_differ_nowhere():
    assert difference("a\nb", "a\nb").changed == 0


def test_a_hostile_difference_is_bounded_in_time():
    started = time.monotonic()
    found = difference("\n".join(["x", "y"] * 10_000), "\n".join(["y", "x"] * 10_000))
    assert found.changed
    assert time.monotonic() - started < 3
