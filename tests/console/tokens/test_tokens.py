"""Personal tokens: made with the password, shown once, revoked; and one made without a browser."""

import hashlib
import os

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from dlqconsole.engine.models import AuditEntry
from dlqconsole.people import tokens
from dlqconsole.people.command_line import caller, machine_user
from dlqconsole.people.models import PersonalToken, Scope
from dlqconsole.people.tokens import TokenRefused
from tests.accounts import actor_of, person, token_of

PASSWORD = "a long enough password"


@pytest.fixture
def me(operator):
    """The operator's client, with a password; it stays signed in."""
    user = User.objects.get(username="operator")
    user.set_password(PASSWORD)
    user.save()
    operator.force_login(user)
    return operator


def make(client, **given):
    form = {"label": "my laptop", "scope": "person", "days": "30", "password": PASSWORD} | given
    return client.post("/tokens/", form)


def test_it_is_shown_once_and_kept_as_a_hash(me):
    answer = make(me)
    text = answer.context["made"]
    assert text.startswith("dlq_")
    assert len(text) == 4 + 43
    assert text in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    token = PersonalToken.objects.get()
    assert token.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert (token.made_by, token.is_own) == (actor_of("operator"), True)
    assert (token.expires_at - token.created_at).days == 30
    later = me.get("/tokens/").content.decode()
    assert token.prefix in later
    assert text not in later
    everything = " ".join(str(row) for row in AuditEntry.objects.values())
    assert text not in everything
    assert token.prefix in everything


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"password": "wrong"}, "The password is wrong"),
        ({"password": ""}, "Type your password"),
        ({"label": " "}, "Say what the token is for"),
        ({"label": "x" * 101}, "the limit is 100"),
        ({"days": "0"}, "days"),
        ({"days": "367"}, "days"),
        ({"scope": "everything"}, "The scope is one of person, report"),
    ],
)
def test_without_the_password_a_label_and_an_end_there_is_none(me, given, problem):
    answer = make(me, **given)
    assert answer.status_code == 422
    assert problem in answer.content.decode()
    assert PASSWORD not in answer.content.decode()
    assert not PersonalToken.objects.exists()


def test_a_token_for_reports_does_nothing_else_and_its_audit_row_says_so(me):
    answer = make(me, scope="report")
    text = answer.context["made"]
    assert "Authorization: Bearer" in answer.content.decode()
    assert tokens.verify(text, tokens.REPORT).scope == "report"
    with pytest.raises(TokenRefused, match="only reports failures over HTTP: make one for the command line"):
        tokens.verify(text)
    assert AuditEntry.objects.get(action="make token").detail["scope"] == "report"
    assert "scope report" in me.get("/audit/").content.decode()
    page = me.get("/tokens/").content.decode()
    assert "report failures" in page


def test_who_may_change_nothing_makes_no_token_for_reports(viewer):
    user = User.objects.get(username="viewer")
    user.set_password(PASSWORD)
    user.save()
    viewer.force_login(user)
    answer = make(viewer, scope="report")
    assert answer.status_code == 422
    assert "Viewers report nothing" in answer.content.decode()
    assert not PersonalToken.objects.exists()
    with pytest.raises(CommandError, match="There is no viewer who may report"):
        call_command("token", "viewer", "--scope", "report")


def test_ones_own_is_revoked_and_nobody_elses(me, admin_user_client):
    own, foreign = make(me).context["made"], token_of(person("ann"))
    mine, hers = (PersonalToken.objects.get(sha256=tokens._hash(text)) for text in (own, foreign))
    assert me.post(f"/tokens/{hers.pk}/revocation/").status_code == 404
    assert hers.prefix not in me.get("/tokens/?of=all").content.decode()
    assert me.post(f"/tokens/{mine.pk}/revocation/").status_code == 302
    with pytest.raises(TokenRefused, match="was revoked"):
        tokens.verify(own)
    assert tokens.verify(foreign).pk == hers.pk
    # an administrator sees and ends those of all
    assert hers.prefix in admin_user_client.get("/tokens/?of=all").content.decode()
    admin_user_client.post(f"/tokens/{hers.pk}/revocation/")
    entries = AuditEntry.objects.filter(action="revoke token").order_by("id")
    assert [(row.actor, row.target) for row in entries] == [
        (actor_of("operator"), f"token:{mine.pk}"), (actor_of("admin"), f"token:{hers.pk}"),
    ]  # fmt: skip
    log = " ".join(me.get("/audit/").content.decode().split())
    assert f"the token {hers.prefix}… of ann" in log


def test_a_limited_administrator_sees_and_revokes_their_own_alone(db, client):
    """The owners of tokens reveal the accounts, which only an administrator without a scope may see."""
    own, foreign = token_of(person("lara", "admin")), token_of(person("ann"))
    lara = User.objects.get(username="lara")
    Scope.objects.create(user=lara, queue="orders")
    client.force_login(lara)
    mine, hers = (PersonalToken.objects.get(sha256=tokens._hash(text)) for text in (own, foreign))
    for address in ("/tokens/", "/tokens/?of=all"):
        page = client.get(address).content.decode()
        assert mine.prefix in page
        assert hers.prefix not in page
        assert '"?of=all"' not in page
        assert "Tokens of all" not in page
    never = client.post("/tokens/999999/revocation/")
    answer = client.post(f"/tokens/{hers.pk}/revocation/")
    assert (answer.status_code, never.status_code) == (404, 404)
    assert tokens.verify(foreign).pk == hers.pk
    assert not AuditEntry.objects.filter(action="revoke token").exists()
    assert client.post(f"/tokens/{mine.pk}/revocation/").status_code == 302
    with pytest.raises(TokenRefused, match="was revoked"):
        tokens.verify(own)


def test_a_command_makes_one_that_says_who_made_it(operator, capsys):
    call_command("token", "operator", "--days", "7")
    output = capsys.readouterr()
    token = tokens.verify(output.out.strip())
    assert "shown this once" in output.err
    assert (token.is_own, token.made_by) == (False, machine_user())
    assert AuditEntry.objects.get(action="make token").actor == machine_user()
    assert "approves nothing" in operator.get("/tokens/").content.decode()
    for wrong in (["nobody"], ["operator", "--days", "0"], ["operator", "--label", "x" * 101]):
        with pytest.raises(CommandError):
            call_command("token", *wrong)
    User.objects.update(is_active=False)
    with pytest.raises(CommandError, match="who may do anything here"):
        call_command("token", "operator")


def test_a_token_comes_from_a_file_that_only_its_person_can_read(db, tmp_path, settings):
    ann = person("ann")
    file = tmp_path / "token"
    file.write_text(token_of(ann) + "\n")
    file.chmod(0o600)
    options = {"token_file": str(file)}
    assert caller(options, "operator").actor == ann
    assert caller(options, "operator").is_proven
    for mode in (0o640, 0o604):
        file.chmod(mode)
        with pytest.raises(TokenRefused, match="can be read by others"):
            caller(options, "operator")
    file.chmod(0o600)
    # a file that holds none is never passed over for the machine's user, nor for the environment
    settings.DLQ_TOKEN = token_of(ann)
    for content in (b"", b"dlq_" + b"x" * 43, b"\xff\xfe", b"x" * 5000):
        file.write_bytes(content)
        with pytest.raises(TokenRefused):
            caller(options, "operator")
    os.mkfifo(tmp_path / "fifo", 0o600)
    for path in (tmp_path / "none", tmp_path, tmp_path / "fifo"):
        with pytest.raises(TokenRefused):
            caller({"token_file": str(path)}, "operator")


def test_without_one_it_is_the_account_of_the_process(db, settings, monkeypatch):
    monkeypatch.setenv("LOGNAME", "operator")
    found = caller({}, "admin")
    assert (found.actor, found.is_proven) == (machine_user(), False)
    assert found.actor != "cli:operator"
    settings.DLQ_TOKEN = "dlq_nonsense"
    with pytest.raises(TokenRefused, match="not known here"):
        caller({}, "viewer")


def test_each_use_that_changes_something_is_noted_before_it_is_done(db, settings, letter):
    letter()
    settings.DLQ_TOKEN = token_of(person("vera", "viewer"))
    call_command("deadletters", "count")
    with pytest.raises(CommandError) as refused:
        call_command("deadletters", "discard", "--all", "--because", "x")
    vera = f"The person of the token {settings.DLQ_TOKEN[:12]}…"
    assert str(refused.value) == f"{vera} is viewer and no operator: this is not theirs to do."
    with pytest.raises(CommandError, match="is viewer and no operator"):
        call_command("queues", "create", "orders", "--because", "x")
    assert not AuditEntry.objects.filter(action="use token").exists()
    assert PersonalToken.objects.get().last_used_at is not None
    User.objects.update(is_active=False)
    with pytest.raises(CommandError) as refused:
        call_command("deadletters", "count")
    nobody = "has no role here, or is switched off"
    assert str(refused.value) == f"{vera} {nobody}: this is not theirs to do."
    settings.DLQ_TOKEN = token_of(person("olga"))
    with pytest.raises(CommandError, match="is operator and no admin"):
        call_command("attach", "pgmq:orders", "--because", "x")
    call_command("queues", "create", "orders", "--because", "x")
    rows = AuditEntry.objects.filter(actor=actor_of("olga")).order_by("id")
    assert [row.action for row in rows] == ["make token", "use token", "create"]
