"""Signing in works, and guessing gets slow."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models import F

from dlqconsole.console.models import FailedSignIn

PASSWORD = "a long enough password"


@pytest.fixture(autouse=True)
def ann(db, settings) -> User:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    return User.objects.create_user("ann", password=PASSWORD)


def sign_in(client, password: str = PASSWORD, account: str = "ann", **extra):
    return client.post("/login/", {"username": account, "password": password}, **extra)


def test_right_password_leads_to_the_overview(client):
    assert sign_in(client)["Location"] == "/"


def test_sixth_wrong_password_must_wait_even_when_it_is_right(client):
    for _ in range(5):
        assert "name or the password is wrong" in sign_in(client, "wrong").content.decode()
    answer = sign_in(client)
    assert answer.status_code == 429
    assert "Wait a quarter of an hour" in answer.content.decode()


def test_unknown_account_is_told_the_same(client):
    known, unknown = sign_in(client, "wrong"), sign_in(client, "wrong", account="nobody")
    assert known.context["form"].non_field_errors() == unknown.context["form"].non_field_errors()


def test_other_accounts_and_addresses_do_not_wait(client):
    for _ in range(5):
        sign_in(client, "wrong")
    assert sign_in(client, REMOTE_ADDR="10.0.0.9").status_code == 302
    client.logout()
    assert sign_in(client, "wrong", account="bob").status_code == 200


def test_spelling_the_account_otherwise_does_not_reset_the_count(client):
    for account in ("ann", "ANN", " ann", "Ann", "ann\x00", "ann "):
        sign_in(client, "wrong", account=account)
    assert sign_in(client).status_code == 429


def test_empty_password_does_not_reset_the_count(client):
    for _ in range(5):
        sign_in(client, "wrong")
        sign_in(client, "")
    assert sign_in(client).status_code == 429


def test_after_a_quarter_of_an_hour_it_goes_on(client):
    for _ in range(5):
        sign_in(client, "wrong")
    FailedSignIn.objects.update(at=F("at") - timedelta(minutes=16))
    assert sign_in(client).status_code == 302


def test_right_password_ends_the_count(client):
    for _ in range(4):
        sign_in(client, "wrong")
    sign_in(client)
    assert not FailedSignIn.objects.exists()


@pytest.mark.parametrize("junk", ["%00", "x" * 5000, "%ED%A0%80", "%FF", "<script>", "' OR 1=1--"])
def test_junk_as_a_name_is_an_answer(client, junk):
    form = f"username={junk}&password=x"
    answer = client.post("/login/", form, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "target", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_sign_in_leads_nowhere_else(client, target):
    answer = client.post("/login/", {"username": "ann", "password": PASSWORD, "next": target})
    assert answer["Location"] == "/"
