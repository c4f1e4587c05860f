"""A recipe is tried on some dead letters before anybody confirms it."""

import html
import json

import pytest

from dlqconsole.engine.models import DeadLetter, PayloadVersion

RECIPE = '[{"op": "replace", "path": "/n", "value": 2}]'


def tried(person, **fields):
    return person.post("/dead-letters/recipes/", {"scope": "all", "filter": "", "recipe": RECIPE} | fields)


def test_a_recipe_shows_what_would_change_and_changes_nothing(operator, letter):
    ids = [letter(payload=json.dumps({"n": 1, "price": 1.5, "name": f"row {each}"})) for each in range(12)]
    found = tried(operator).context["preview"]
    assert (found.tries, found.all, found.would_change, found.refusals) == (12, True, 12, [])
    assert (len(found.random), len(found.most)) == (5, 5)
    assert {shown.id for shown in found.random + found.most} <= set(ids)
    changes = [line.text for line in found.random[0].difference.lines if line.kind in ("added", "removed")]
    assert changes == ['  "n": 1,', '  "n": 2,']
    assert not PayloadVersion.objects.exists()


def test_those_that_change_most_come_first(operator, letter):
    recipe = '[{"op": "remove", "path": "/many"}]'
    for number in range(1, 16):
        letter(payload=json.dumps({"many": list(range(number))}))
    found = tried(operator, recipe=recipe).context["preview"]
    sizes = [shown.difference.changed for shown in found.most]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 5


def test_every_refusal_is_counted_with_one_to_look_at(operator, letter):
    letter(payload='{"n": 1}')
    missing = [letter(payload='{"m": 1}'), letter(payload='{"m": 2}')]
    raw = letter(payload_raw=b"{not json")
    same = letter(payload='{"n": 2}')
    done = letter(payload='{"n": 1}', status="SUCCEEDED")
    found = tried(operator).context["preview"]
    assert (found.tries, found.would_change, found.refusal_count) == (6, 1, 5)
    reasons = {reason.sentence.split(":")[0]: (reason.count, reason.example) for reason in found.refusals}
    assert reasons["operation 1 (replace “/n”)"][0] == 2
    assert reasons["operation 1 (replace “/n”)"][1] in missing
    assert reasons["its payload cannot be read"] == (1, raw)
    assert reasons["the recipe changes nothing in it"] == (1, same)
    assert reasons["has already SUCCEEDED"] == (1, done)


@pytest.mark.parametrize("scope", ["page", "all"])
def test_what_was_chosen_is_carried_to_the_confirmation(operator, letter, scope):
    one = letter("a", payload='{"n": 1}')
    letter("b", payload='{"n": 1}')
    answer = tried(operator, scope=scope, filter="type=a", ids=[one])
    assert answer.context["preview"].tries == 1
    carried = dict(answer.context["hidden"])
    assert carried["scope"] == scope
    assert carried["filter"] == "type=a"
    assert carried["ids"] == str(one)
    page = answer.content.decode()
    assert 'formaction="/dead-letters/operations/"' in page
    assert html.escape(RECIPE) in page


@pytest.mark.parametrize(
    "recipe", ["{", "[]", '[{"op":"set"}]', '[{"op":"add","path":"/a"}]', "\x00", "[" * 100_000, "[1e999]"]
)
def test_a_recipe_that_cannot_be_understood_is_refused_and_kept(operator, letter, recipe):
    letter()
    answer = tried(operator, recipe=recipe)
    assert answer.status_code == 422
    form = answer.context["form"]
    assert form.sentences
    assert form["recipe"].value() == recipe[: 64 * 1024].replace("\x00", "")


def test_poison_rows_harm_only_themselves(operator, letter):
    letter(payload='{"n": 1}')
    for poison in ("[" * 1500 + "]" * 1500, "1" * 5000, '{"n": 1, "x": 1e131071}'):
        letter(payload=poison)
    found = tried(operator).context["preview"]
    assert (found.tries, found.would_change, sum(reason.count for reason in found.refusals)) == (4, 1, 3)


def test_the_form_opens_without_a_recipe(operator, letter):
    letter()
    answer = tried(operator, recipe="")
    assert (answer.status_code, answer.context["preview"]) == (200, None)
    assert "JSON Patch" in answer.content.decode()


def test_only_operators_may_try(viewer, letter):
    letter()
    assert tried(viewer).status_code == 403
    assert DeadLetter.objects.filter(payload_version=0).count() == 1
