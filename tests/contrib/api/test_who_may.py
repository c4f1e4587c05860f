"""Only a token with the scope report reports, and it does nothing else. A cookie says nothing."""

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command

from dlqconsole.engine.models import DeadLetter
from dlqconsole.people.models import PersonalToken, Scope
from tests.accounts import person, token_of
from tests.contrib.api.conftest import ERROR, EVENT, FAILED, FAILURES, RECOVERIES, Reporter, problem, token


@pytest.mark.parametrize("text", ["", "dlq_nothing", "\x00", "é"])
def test_without_a_token_that_is_known_nothing_is_taken(db, text):
    answer = Reporter(text).post()
    assert "a token with the scope report" in problem(answer, 401)
    assert answer["WWW-Authenticate"] == "Bearer"
    assert not DeadLetter.objects.exists()


@pytest.mark.parametrize("role", ["stranger", "viewer", "operator", "admin_user_client"])
def test_a_cookie_is_nobody(request, role):
    client = request.getfixturevalue(role)
    for path in (FAILURES, RECOVERIES):
        assert client.post(path, FAILED, "application/cloudevents+json").status_code == 401


def test_a_token_of_the_command_line_reports_nothing(db):
    answer = Reporter(token_of(person("shop"))).post()
    assert "make one with the scope report" in problem(answer, 403)


def test_a_token_for_reports_reads_nothing(reporter, tmp_path):
    for path in ("/", "/dead-letters/", "/groups/", "/metrics", "/audit/", "/tokens/", "/admin/"):
        assert reporter.client.get(path).status_code in (302, 401), path
    file = tmp_path / "token"
    file.write_text(token(person("shop")))
    file.chmod(0o600)
    with pytest.raises(CommandError, match="only reports failures over HTTP"):
        call_command("deadletters", "list", "--token-file", str(file))


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"revoked_at": "2026-01-01T00:00Z", "revoked_by": "x"}, 401),
        ({"expires_at": "2026-01-01T00:00Z"}, 401),
    ],
)
def test_a_token_that_is_over_reports_nothing(reporter, change, status):
    PersonalToken.objects.update(**change)
    problem(reporter.post(), status)


def test_the_token_of_somebody_who_may_change_nothing_any_more(reporter):
    user = User.objects.get(username="shop")
    user.groups.set([Group.objects.get(name="viewer")])
    assert "is no operator here any more" in problem(reporter.post(), 403)
    user.groups.set([Group.objects.get(name="operator")])
    assert reporter.post().status_code == 201
    User.objects.filter(pk=user.pk).update(is_active=False)
    problem(reporter.post(), 403)


def test_a_limited_person_reports_within_the_limits(reporter):
    Scope.objects.create(user=User.objects.get(username="shop"), queue="*", event_type="order.*")
    assert reporter.post().status_code == 201
    assert "limited to order.*" in problem(reporter.post(FAILED | {"type": "mail.sent"}), 403)
    Scope.objects.update(queue="orders")
    error = ERROR | {"queue": "orders"}
    assert reporter.post(EVENT | {"error": error}).status_code == 201
    problem(reporter.post(EVENT | {"error": error | {"queue": "mails"}}), 403)


def test_a_limited_person_closes_nothing_beyond_the_limits(reporter):
    reporter.post()
    Scope.objects.create(user=User.objects.get(username="shop"), queue="mails", event_type="*")
    assert "There is no dead letter" in problem(reporter.recover(), 404)


def test_that_it_was_used_is_noted_once_a_minute(reporter):
    reporter.post()
    was = PersonalToken.objects.get().last_used_at
    assert was is not None
    reporter.post()
    assert PersonalToken.objects.get().last_used_at == was
