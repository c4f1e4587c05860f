"""manage.py index: payloads by index, switched on and off by an administrator, and audited."""

import json

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.engine.dead_letters import payload_indexes
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import AuditEntry
from tests.accounts import person, token_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_index_stays():
    yield
    for row in payload_indexes.list_indexes():
        payload_indexes.drop(row["path"])


def index(capsys, *words: str) -> str:
    call_command("index", *words)
    return capsys.readouterr().out


def plan(**given: str) -> str:
    rows = DeadLetterFilter.parse(given).queryset()
    return rows.order_by().values("pk").explain()


@pytest.fixture
def many(letter) -> int:
    for number in range(300):
        letter(payload={"data": {"order_id": number, "note": f"n-{number}"}})
    return letter(payload={"data": {"order_id": "A-77", "note": "x" * 100_000}})


def test_a_path_is_indexed_listed_used_and_dropped(many, capsys):
    said = index(capsys, "payload.data.order_id", "--because", "support asks for orders")
    assert said.startswith("payload.data.order_id is indexed: 0.0 MB for 301 dead letters")
    assert payload_indexes.name_of("data.order_id") in plan(**{"payload.data.order_id": "A-77"})
    assert payload_indexes.knows(["data.order_id"])
    assert not payload_indexes.knows(["data.note"])
    (row,) = [json.loads(line) for line in index(capsys, "--json").splitlines()]
    assert (row["path"], row["is_valid"]) == ("payload.data.order_id", True)
    with pytest.raises(CommandError, match="indexed already"):
        index(capsys, "payload.data.order_id")
    assert index(capsys, "payload.data.order_id", "--drop") == "payload.data.order_id is indexed no more.\n"
    assert index(capsys).startswith("No payload is indexed.")
    entries = (
        AuditEntry.objects.filter(target="dead_letters")
        .order_by("pk")
        .values_list("action", "reason", "detail")
    )
    what = {"what": "payload.data.order_id"}
    assert list(entries) == [
        ("index", "support asks for orders", what),
        ("index", "", what),
        ("drop index", "", what),
    ]


def test_a_value_longer_than_a_page_of_an_index_is_taken_in(many, letter, capsys):
    index(capsys, "payload.data.note")
    one = letter(payload={"data": {"note": "y" * 100_000}})
    found = DeadLetterFilter(payload=(("data.note", "y" * 100_000),)).queryset()
    assert found.get().pk == one


def test_all_values_are_indexed(many, capsys):
    index(capsys, "payload")
    assert payload_indexes.knows(["whatever"])
    assert payload_indexes.VALUES in plan(**{"payload.data.note": "n-7"})
    found = DeadLetterFilter.parse({"q": "n-7"}).queryset()
    assert found.get().payload["data"]["order_id"] == 7


@pytest.mark.parametrize("what", ["data.order_id", "reason", "payload."])
def test_what_is_no_path_is_refused_in_a_sentence(what, capsys):
    with pytest.raises(CommandError) as caught:
        index(capsys, what)
    assert caught.value.returncode == 2


def test_it_is_for_administrators(settings, capsys):
    settings.DLQ_TOKEN = token_of(person("olga", "operator"))
    with pytest.raises(CommandError, match="is operator and no admin"):
        index(capsys, "payload")
    assert not payload_indexes.list_indexes()
