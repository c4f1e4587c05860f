"""manage.py playbooks: the same as the pages, for a terminal and for programs."""

import json
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.models import Operation
from dlqconsole.people.models import Scope
from tests.accounts import token_of
from tests.contrib.playbooks.conftest import made

pytestmark = pytest.mark.django_db


def run(*words, **options):
    out = StringIO()
    call_command("playbooks", *map(str, words), stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def as_person(settings):
    """as_person(actor) gives the commands their token."""

    def give(actor, **more):
        settings.DLQ_TOKEN = token_of(actor, **more)

    return give


def test_without_any_it_says_where_they_are_made():
    assert "no playbooks" in run("list")
    assert run("list", "--json") == ""


def test_list_and_show_say_what_it_is(ann):
    row = made(ann)
    assert f"{row.pk}  on  Orders are back: when type:order.created answers again, revive" in run("list")
    found = json.loads(run("show", row.pk, "--json"))
    assert (found["state"], found["acts for"], found["history"]) == ("on", "ann", [])
    assert "budget: at most 1,000 a day, in 24 operations" in run("show", row.pk)


def test_a_dry_run_says_what_it_would_do_and_changes_nothing(letters, ann):
    letters(3)
    letters(1, status="QUARANTINED")
    row = made(ann, per_day=2)
    before = list(Playbook.objects.values()), AuditEntry.objects.count()
    said = run("run", row.pk, "--dry-run")
    assert "It would take 2; 2 are left of its budget." in said
    assert "The rest follows when there is a budget again." in said
    assert "It does nothing now: type:order.created has not been seen to fail" in said
    figures = json.loads(run("run", row.pk, "--dry-run", "--json"))
    assert (figures["would_take"], figures["budget_left"], figures["rest_follows"]) == (2, 2, True)
    assert (list(Playbook.objects.values()), AuditEntry.objects.count()) == before
    assert not Operation.objects.exists()


def test_it_is_run_by_itself_only(ann):
    row = made(ann)
    with pytest.raises(CommandError, match="acts by itself") as refused:
        run("run", row.pk)
    assert refused.value.returncode == 2


def test_anybody_may_switch_one_off_and_only_a_proven_person_on(ann, bob, as_person):
    row = made(ann)
    assert run("disable", row.pk, because="noise") == f"Playbook {row.pk} asks for nothing more.\n"
    assert "is so already" in run("disable", row.pk, because="noise")
    assert Playbook.objects.get().acts_for == ann
    with pytest.raises(CommandError, match="You answer for a playbook"):
        run("enable", row.pk, because="quiet")
    as_person(bob, made_by="cli:root")
    with pytest.raises(CommandError, match="You answer for a playbook"):
        run("enable", row.pk, because="quiet")
    as_person(bob)
    assert "acts by itself" in run("enable", row.pk, because="quiet")
    assert (Playbook.objects.get().acts_for, Playbook.objects.get().enabled) == (bob, True)
    trail = AuditEntry.objects.filter(target=f"playbook:{row.pk}").order_by("id")
    assert [(entry.action, entry.reason) for entry in trail] == [
        ("create", "a test"),
        ("disable", "noise"),
        ("enable", "quiet"),
    ]


def test_a_reason_and_a_number_are_needed(ann):
    row = made(ann)
    with pytest.raises(CommandError, match="Say why"):
        run("disable", row.pk, because=" ")
    for wrong in ("x", "999999"):
        with pytest.raises(CommandError, match="There is no playbook"):
            run("show", wrong)


def test_a_limited_persons_token_sees_no_more_than_they_do(ann, bob, as_person):
    row = made(ann)
    Scope.objects.create(user=User.objects.get(username="bob"), event_type="billing.*")
    as_person(bob)
    assert "no playbooks" in run("list")
    with pytest.raises(CommandError, match="There is no playbook"):
        run("disable", row.pk, because="x")
    assert Playbook.objects.get().enabled
