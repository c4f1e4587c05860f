"""Signing in works, and guessing gets slow."""

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher, PBKDF2PasswordHasher
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db.models import F
from django.test import Client

from dlqconsole import settings as in_production
from dlqconsole.console.models import SignInAllowance
from dlqconsole.engine.models import AuditEntry
from dlqconsole.people.models import Scope
from tests.accounts import person, token_of

PASSWORD = "a long enough password"


@pytest.fixture(autouse=True)
def ann(db, settings) -> User:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    return User.objects.create_user("ann", password=PASSWORD)


def sign_in(client, password: str = PASSWORD, account: str = "ann", **extra):
    return client.post("/login/", {"username": account, "password": password}, **extra)


def guess(times: int, account: str = "ann", address: str = "127.0.0.1") -> list[int]:
    """The answer to a stranger who types wrong passwords."""
    stranger = Client()
    return [sign_in(stranger, "wrong", account, REMOTE_ADDR=address).status_code for _ in range(times)]


def later(**time: int) -> None:
    SignInAllowance.objects.update(spent_until=F("spent_until") - timedelta(**time))


def test_right_password_leads_to_the_overview(client):
    assert sign_in(client)["Location"] == "/"


def test_sixth_wrong_password_must_wait_even_when_it_is_right(client):
    for _ in range(5):
        assert "name or the password is wrong" in sign_in(client, "wrong").content.decode()
    answer = sign_in(client)
    assert answer.status_code == 429
    assert "Wait 3 minutes and try again" in answer.content.decode()
    assert 170 <= int(answer["Retry-After"]) <= 180


def test_unknown_account_is_told_the_same(client):
    known, unknown = sign_in(client, "wrong"), sign_in(client, "wrong", account="nobody")
    assert known.context["form"].non_field_errors() == unknown.context["form"].non_field_errors()
    guess(5), guess(5, "nobody")
    assert guess(1) == guess(1, "nobody") == [429]


def test_unknown_inactive_and_unusable_accounts_cost_one_hash_like_any_other(client, monkeypatch):
    User.objects.create_user("away", password=PASSWORD, is_active=False)
    User.objects.create_user("program")
    hashed = []
    encode = MD5PasswordHasher.encode
    monkeypatch.setattr(
        MD5PasswordHasher, "encode", lambda self, *given: hashed.append(1) or encode(self, *given)
    )
    for account in ("ann", "nobody", "away", "program"):
        hashed.clear()
        assert sign_in(client, "wrong", account).status_code == 200
        assert len(hashed) == 1, account


def test_other_accounts_and_addresses_do_not_wait(client):
    for _ in range(5):
        sign_in(client, "wrong")
    assert sign_in(client, REMOTE_ADDR="10.0.0.9").status_code == 302
    client.post("/logout/")
    assert sign_in(client, "wrong", account="bob").status_code == 200


def test_after_a_quarter_of_an_hour_it_goes_on(client):
    assert guess(6) == [200] * 5 + [429]
    later(minutes=3, seconds=1)
    assert guess(2) == [200, 429]
    later(minutes=16)
    assert sign_in(client).status_code == 302


def test_trying_while_one_must_wait_does_not_prolong_it(client):
    guess(30)
    later(minutes=3, seconds=1)
    assert sign_in(client).status_code == 302


def test_right_password_ends_the_count(client):
    for _ in range(4):
        sign_in(client, "wrong")
    sign_in(client)
    client.post("/logout/")
    assert guess(5) == [200] * 5


def test_a_right_password_gives_back_no_tries_for_other_accounts(client):
    """Else who has an account could guess at others for ever."""
    for number in range(25):
        sign_in(client, "wrong", f"somebody{number}")
    for _ in range(3):
        sign_in(client)
        client.post("/logout/")
    assert [sign_in(Client(), "wrong", f"other{number}").status_code for number in range(7)] == [
        *[200] * 5,
        *[429] * 2,
    ]


def test_an_account_cannot_be_guessed_from_many_addresses():
    told = [guess(1, address=f"10.0.{number}.1")[0] for number in range(25)]
    assert told == [200] * 20 + [429] * 5


def test_an_address_cannot_spray_over_many_accounts():
    assert [guess(1, f"somebody{number}")[0] for number in range(35)] == [200] * 30 + [429] * 5


def test_nobody_can_lock_a_person_out_of_a_device_they_signed_in_from(client):
    sign_in(client)
    client.post("/logout/")
    for number in range(5):
        guess(5, address=f"10.0.{number}.1")
    for number in range(30):
        guess(1, f"somebody{number}")
    assert guess(1) == [429]
    assert sign_in(client).status_code == 302


def test_a_known_device_has_five_tries_too(client):
    sign_in(client)
    client.post("/logout/")
    assert [sign_in(client, "wrong").status_code for _ in range(7)] == [*[200] * 5, 429, 429]


def test_a_new_password_makes_devices_unknown(client, ann):
    sign_in(client)
    client.post("/logout/")
    guess(5)
    ann.set_password("another long password")
    ann.save()
    assert sign_in(client, "another long password").status_code == 429


def test_a_device_is_known_to_the_accounts_that_signed_in_there_alone(client):
    User.objects.create_user("eve", password=PASSWORD)
    sign_in(client, account="eve")
    client.post("/logout/")
    guess(5)
    assert sign_in(client).status_code == 429
    assert sign_in(client, account="eve").status_code == 302


@pytest.mark.parametrize("https", [False, True])
def test_cookies_are_for_this_host_alone(client, settings, https):
    if https:
        settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
        settings.DEVICE_COOKIE_NAME = "__Host-device"
    answer = sign_in(client)
    cookie = answer.cookies[settings.DEVICE_COOKIE_NAME]
    assert (cookie["httponly"], cookie["path"], cookie["domain"], cookie["samesite"]) == (
        True,
        "/",
        "",
        "Lax",
    )
    assert bool(cookie["secure"]) is https


def test_signing_in_changes_the_key_of_the_session(client):
    sign_in(client, "wrong")
    session = client.session
    session["theirs"] = 1
    session.save()
    client.cookies["dlq_session"] = session.session_key
    sign_in(client)
    assert client.session.session_key != session.session_key


def test_the_audit_says_who_came_and_went_and_who_failed(client, ann):
    sign_in(client, "wrong")
    sign_in(client, "hunter2 typed here", account="hunter2")
    sign_in(client)
    client.post("/logout/")
    entries = AuditEntry.objects.order_by("id")
    assert [(entry.actor, entry.action, entry.target) for entry in entries] == [
        ("nobody", "sign-in failed", f"account:{ann.pk}"),
        ("nobody", "sign-in failed", "account:unknown"),
        (entries[2].actor, "sign in", f"account:{ann.pk}"),
        (entries[2].actor, "sign out", f"account:{ann.pk}"),
    ]
    assert entries[2].actor.startswith("user:")
    assert entries[2].detail == {"address": "127.0.0.1", "known_device": False}
    assert "hunter2" not in str([entry.detail for entry in entries])
    assert len(entries[1].detail["name_hash"]) == 16


def test_the_audit_says_when_a_hold_begins_and_not_each_try_meanwhile():
    guess(9)
    held = [entry.detail.get("held") for entry in AuditEntry.objects.order_by("id")]
    assert held == [None, None, None, None, ["this account at this address"]]


def test_the_audit_page_tells_it_in_words(client, viewer):
    sign_in(client, "wrong")
    sign_in(client, "wrong", "nobody-has-this")
    guess(5, "ann", "10.0.0.7")
    sign_in(client)
    client.post("/logout/")
    page = viewer.get("/audit/").content.decode()
    for words in (
        "a wrong password for ann, from 127.0.0.1",
        "a wrong password for no account that there is, from 127.0.0.1",
        "the next one must wait: this account at this address",
        "signed in from 127.0.0.1, on a device that was not known",
        "signed out",
    ):
        assert words in page


def test_what_is_stored_for_the_throttle_names_nobody():
    guess(2, "hunter2", "10.1.2.3")
    keys = " ".join(SignInAllowance.objects.values_list("key", flat=True))
    assert keys.count("account:") == keys.count("address:") == keys.count("place:") == 1
    assert "hunter2" not in keys
    assert "10.1.2.3" not in keys


def test_what_is_used_up_no_more_is_forgotten():
    guess(2, "bob")
    later(hours=9)
    guess(1)
    assert SignInAllowance.objects.count() == 3


def test_an_administrator_can_end_the_holds_of_an_account(client, ann):
    guess(6)
    output = StringIO()
    call_command("release_sign_in", "ann", because="she waits at the door", stdout=output)
    assert output.getvalue() == "ann may try again at once; 2 counts are forgotten.\n"
    entry = AuditEntry.objects.get(action="release sign-in")
    assert (entry.target, entry.reason) == (f"account:{ann.pk}", "she waits at the door")
    assert sign_in(client).status_code == 302
    with pytest.raises(CommandError, match="There is no account 'nobody'"):
        call_command("release_sign_in", "nobody", because="x")


def test_a_limited_administrator_learns_of_no_account(ann, settings):
    """Nor does a token that proves nothing: whether there is one is not told before who asks."""
    lara = person("lara", "admin")
    Scope.objects.create(user_id=lara.removeprefix("user:"), queue="orders")
    for token, why in (
        (token_of(lara), "Accounts are for who sees everything, and your scope is limited"),
        ("dlq_nonsense", "This token is not known here"),
        (token_of(person("olga")), "is operator and no admin"),
    ):
        settings.DLQ_TOKEN = token
        for name in ("ann", "nobody"):
            with pytest.raises(CommandError, match=why):
                call_command("release_sign_in", name, because="x")
    assert not AuditEntry.objects.filter(action="release sign-in").exists()


@pytest.mark.parametrize("junk", ["%00", "x" * 5000, "%ED%A0%80", "%FF", "<script>", "' OR 1=1--"])
def test_junk_as_a_name_is_an_answer(client, junk):
    form = f"username={junk}&password=x"
    answer = client.post("/login/", form, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 200


@pytest.mark.parametrize("junk", ["", "x", "a:b:c", "x" * 5000, "%00", "W10:1t:x"])
def test_junk_as_a_device_is_no_device(client, junk):
    client.cookies["dlq_device"] = junk
    assert sign_in(client).status_code == 302


@pytest.mark.parametrize(
    "target",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "\x08//evil",
        "/login/",
    ],
)
def test_sign_in_leads_nowhere_else(client, target):
    for door in ("/login/", "/admin/login/"):
        assert "evil" not in client.get(door, {"next": target}).get("Location", "")
    answer = client.post("/login/", {"username": "ann", "password": PASSWORD, "next": target})
    assert client.get("/login/", {"next": target})["Location"] == "/"
    assert answer["Location"] == "/"


def test_passwords_are_hashed_with_argon2_and_old_ones_are_made_anew(client, ann, settings):
    settings.PASSWORD_HASHERS = in_production.PASSWORD_HASHERS
    ann.password = PBKDF2PasswordHasher().encode(PASSWORD, "salt", 1000)
    ann.save()
    assert sign_in(client).status_code == 302
    ann.refresh_from_db()
    assert ann.password.startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")
