"""The role between operator and admin: what it sets in motion beyond an operator, and nothing more."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.urls import URLResolver, get_resolver

from dlqconsole.console.schedules.actions import ACTIONS
from dlqconsole.engine.models import AuditEntry
from dlqconsole.people.models import Scope
from dlqconsole.people.roles import ROLES, may
from dlqconsole.retries.models import RetryPolicy
from tests.accounts import actor_of, person, token_of
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db
# everybody may open the page of a policy; a POST there asks for the role of SET
BEYOND_AN_OPERATOR = {"policy_new", "policy_delete", "owner_rule_move"}
NEW = "/schedules/policies/new?event_type=order.created"


def roles(patterns) -> Iterator[tuple[str, str]]:
    """The name of each address, with the least role that opens it."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from roles(pattern.url_patterns)
        else:
            yield str(pattern.name), getattr(pattern.callback, "required_role", "")


def test_it_opens_beyond_an_operator_only_what_is_named_here():
    there = {name for name, role in roles(get_resolver().url_patterns) if role == "maintainer"}
    assert there == BEYOND_AN_OPERATOR
    assert {action.name for action in ACTIONS if action.role == "maintainer"} == {"set", "delete"}


def test_it_changes_a_policy_and_an_operator_may_not(operator):
    values = {"do": "save", "max_retries": "5", "reason": "as agreed"}
    assert operator.post(NEW, values).status_code == 403
    assert not RetryPolicy.objects.exists()
    assert signed_in("maintainer").post(NEW, values).status_code == 302
    assert RetryPolicy.objects.get().max_retries == 5
    entry = AuditEntry.objects.get(action="create", target__startswith="retry_policy:")
    assert (entry.actor, entry.reason) == (actor_of("maintainer"), "as agreed")


def test_who_is_limited_gets_no_link_to_the_policy_of_everything(letter):
    letter()
    maintainer, link = signed_in("maintainer"), "/schedules/policies/new?all=yes"
    assert link in maintainer.get("/schedules/").content.decode()
    Scope.objects.create(user=User.objects.get(username="maintainer"), queue="order.*", event_type="*")
    assert link not in maintainer.get("/schedules/").content.decode()
    assert maintainer.get(link).status_code == 404


def test_the_command_goes_by_the_same_role(settings):
    given = ["schedule", "set", "--type", "order.created", "--max-retries", "4", "--because", "as agreed"]
    settings.DLQ_TOKEN = token_of(person("olga", "operator"))
    with pytest.raises(CommandError, match="is operator and no maintainer"):
        call_command(*given)
    settings.DLQ_TOKEN = token_of(person("mara", "maintainer"))
    call_command(*given)
    assert RetryPolicy.objects.get().max_retries == 4
    with pytest.raises(CommandError, match="is maintainer and no admin"):
        call_command("queues", "drop", "orders", "--because", "as agreed")


def test_an_operator_who_may_not_reads_who_may(operator, letter):
    letter()
    page = operator.get("/schedules/").content.decode()
    assert "Only a maintainer may change policies. Ask an administrator to become one." in page


def test_each_role_includes_those_before_it():
    assert [may(role, "maintainer") for role in ROLES] == [False, False, True, True]
