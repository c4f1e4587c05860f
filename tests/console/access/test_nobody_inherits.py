"""Rights that follow from an action belong to the account, not to a later account of the same name."""

from uuid import uuid4

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.models import Operation
from tests.accounts import actor_of, person
from tests.asking import ask_for

pytestmark = pytest.mark.usefixtures("no_worker")


@pytest.fixture
def namesake(operator):
    """The operator is renamed; a new account is called "operator" now."""
    User.objects.filter(username="operator").update(username="was operator")
    user = User.objects.create(username="operator")
    user.groups.add(Group.objects.get(name="operator"))
    client = Client()
    client.force_login(user)
    return client


def test_a_namesake_takes_no_file_and_sees_nothing_revealed(operator, letter, request):
    one = letter(payload={"email": "ann@example.org"})
    mine = ask_for("export", actor=actor_of("operator"), ids=[one], expected=1)
    operator.post(f"/dead-letters/{one}/revelations/", {"reason": "a call"})
    page = f"/dead-letters/{one}/"
    assert "ann@example.org" in operator.get(page).content.decode()
    namesake = request.getfixturevalue("namesake")
    assert "ann@example.org" not in namesake.get(page).content.decode()
    assert namesake.get(f"/operations/{mine.pk}/export").status_code == 403
    # who was renamed is still who they are
    assert "ann@example.org" in operator.get(page).content.decode()
    assert operator.get(f"/operations/{mine.pk}/export").status_code == 409


def test_a_namesake_is_not_asked_for_by_the_same_form(operator, letter, namesake):
    key, one = uuid4(), letter()
    ask_for("discard", actor=person("was operator"), ids=[one], expected=1, request_key=key)
    form = {"request_key": key, "kind": "discard", "scope": "rows", "ids": one, "reason": "x", "expected": 1}
    answer = namesake.post("/operations/", form)
    assert "This form was already used" in answer.content.decode()
    assert Operation.objects.count() == 1


def test_the_log_says_who_is_meant(operator, namesake, letter):
    one = letter()
    namesake.post(f"/dead-letters/{one}/revelations/", {"reason": "a call"})
    newest = AuditEntry.objects.get(action="reveal")
    number = actor_of("operator").removeprefix("user:")
    assert newest.actor == f"user:{number}"
    assert f"operator (user {number})" in operator.get("/audit/").content.decode()
