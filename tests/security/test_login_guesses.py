"""Guessing passwords: at each door, at once, from everywhere, under other names and false addresses."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth import aauthenticate, authenticate
from django.contrib.auth.models import User
from django.core import signing
from django.db import connections
from django.test import Client, RequestFactory

from dlqconsole.configuration.trusted_proxies import TrustedProxies
from dlqconsole.console.models import SignInAllowance
from tests.threads import at_once

LINE = "login guesses"
PASSWORD = "a long enough password"
THREADS = 20


@pytest.fixture(autouse=True)
def quick(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def ann(db) -> User:
    return User.objects.create_user("ann", password=PASSWORD, is_staff=True)


def post(password: str, account: str = "ann", *, door: str = "/login/", client=None, **headers) -> int:
    form = {"username": account, "password": password}
    answer = (client or Client()).post(door, form, **headers)
    return (
        0
        if answer.status_code == 302 and not answer["Location"].startswith("/login/")
        else answer.status_code
    )


def guesses_at_once(guess: Callable[[int], int]) -> Counter[int]:
    """The answers to as many threads that all try at the same moment."""
    return Counter(at_once([partial(guess, number) for number in range(THREADS)]))


def asynchronously(request, **typed: str) -> User | None:
    """``aauthenticate``, in a thread without a loop (a browser's may run in this one), on this connection."""
    shared = connections["default"]

    def call() -> User | None:
        connections["default"] = shared
        return async_to_sync(aauthenticate)(request, **typed)

    shared.inc_thread_sharing()
    try:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(call).result()
    finally:
        shared.dec_thread_sharing()


@pytest.mark.django_db(transaction=True)
def test_of_many_guesses_at_once_exactly_those_pass_that_are_allowed(scorecard):
    told = {
        "one account at one address": (5, guesses_at_once(lambda _: post("wrong"))),
        "many accounts at one address": (
            20,
            guesses_at_once(lambda number: post("wrong", f"a{number}", REMOTE_ADDR="10.1.0.1")),
        ),
        "more accounts at one address": (
            10,
            guesses_at_once(lambda number: post("wrong", f"b{number}", REMOTE_ADDR="10.1.0.1")),
        ),
        "one account at many addresses": (
            20,
            guesses_at_once(lambda number: post("wrong", "bob", REMOTE_ADDR=f"10.2.0.{number}")),
        ),
        "and then at others": (
            0,
            guesses_at_once(lambda number: post("wrong", "bob", REMOTE_ADDR=f"10.3.0.{number}")),
        ),
    }
    wrong = [
        name
        for name, (allowed, found) in told.items()
        if (found[200], found[429]) != (allowed, THREADS - allowed)
    ]
    scorecard(LINE, tried=THREADS * len(told), broke=wrong)


def use_up() -> None:
    for _ in range(5):
        post("wrong")


WIDE, BOLD, CIRCLED = "\uff41\uff4e\uff4e", "\U0001d41a\U0001d427\U0001d427", "\u24d0\u24dd\u24dd"
SPELLINGS = ["ANN", "Ann", " ann", "ann ", WIDE, BOLD, CIRCLED, "a\u207f\u207f", "ann\u00a0", "ANN\u2003"]


def test_other_spellings_of_a_name_are_the_same_account(ann, scorecard):
    for spelling in SPELLINGS[:5]:
        post("wrong", spelling)
    came = [spelling for spelling in ["ann", *SPELLINGS] if post(PASSWORD, spelling) == 0]
    scorecard(LINE, tried=len(SPELLINGS) + 6, broke=came)


def test_no_door_is_another_count(ann, scorecard):
    """The right password, at each door that compares one, where all tries are used up."""
    signed_in = Client()
    signed_in.force_login(ann)
    use_up()
    request = RequestFactory().post("/api/")
    new = {"new_password1": "one more long password", "new_password2": "one more long password"}
    doors = {
        "the page": post(PASSWORD) == 0,
        "the admin's": post(PASSWORD, door="/admin/login/") == 0,
        "the admin's, with a next": post(PASSWORD, door="/admin/login/?next=/admin/") == 0,
        "authenticate": authenticate(request, username="ann", password=PASSWORD) is not None,
        "aauthenticate": asynchronously(request, username="ann", password=PASSWORD) is not None,
        "Django's own form": post(PASSWORD, client=Client(headers={"HX-Request": "true"})) == 0,
        "changing the password": signed_in.post(
            "/admin/password_change/", {"old_password": PASSWORD, **new}
        ).status_code
        == 302,
    }
    scorecard(LINE, tried=len(doors), broke=[door for door, is_open in doors.items() if is_open])


def test_the_admin_has_no_door_of_its_own(ann, client):
    answer = client.get("/admin/dlq_engine/deadletter/?type=a", follow=True)
    assert answer.redirect_chain[-1][0] == "/login/?next=/admin/dlq_engine/deadletter/%3Ftype%3Da"
    assert client.get("/admin/login/", {"next": "/admin/x/"})["Location"] == "/login/?next=/admin/x/"
    client.post("/login/", {"username": "ann", "password": PASSWORD})
    assert client.get("/admin/login/?next=//evil.example")["Location"] == "/admin/"
    User.objects.update(is_staff=False)
    answer = client.get("/admin/", follow=True)
    assert answer.status_code == 403
    assert "This part is for administrators" in answer.content.decode()


def test_a_hundred_wrong_passwords_at_the_admin_are_none(ann, scorecard):
    """As many as it once took; now it looks at none of them."""
    told = {post("wrong", door="/admin/login/") for _ in range(100)}
    assert told == {302}
    scorecard(LINE, tried=100, broke=SignInAllowance.objects.count())


FORGED = [
    {"HTTP_X_FORWARDED_FOR": "198.51.100.7"},
    {"HTTP_X_FORWARDED_FOR": "198.51.100.7, 127.0.0.1"},
    {"HTTP_X_REAL_IP": "198.51.100.7"},
    {"HTTP_FORWARDED": "for=198.51.100.7"},
    {"HTTP_CLIENT_IP": "198.51.100.7"},
    {"HTTP_X_FORWARDED_FOR": ""},
]


def test_nobody_has_another_address_by_saying_so(ann, scorecard, settings):
    use_up()
    came = [headers for headers in FORGED if post(PASSWORD, **headers) == 0]
    settings.DLQ_TRUSTED_PROXIES = TrustedProxies.parse("1")
    for address in range(5):
        post("wrong", "bob", HTTP_X_FORWARDED_FOR=f"198.51.100.{address}, 203.0.113.9")
    told = post("wrong", "bob", HTTP_X_FORWARDED_FOR="198.51.100.77, 203.0.113.9")
    came += [] if told == 429 else ["before a proxy"]
    scorecard(LINE, tried=len(FORGED) + 6, broke=came)


def test_the_addresses_of_one_household_are_one(ann, scorecard):
    for number in range(5):
        post("wrong", REMOTE_ADDR=f"2001:db8:0:1::{number}")
    same, other = (post(PASSWORD, REMOTE_ADDR=f"2001:db8:0:{net}::77") for net in (1, 2))
    assert other == 0
    scorecard(LINE, tried=6, broke=int(same == 0))


def test_no_forged_device_is_known(ann, scorecard, settings):
    use_up()
    known, salt = ["0", ["1", "ann", ann.pk]], "dlqconsole.device"
    cookies = [
        signing.dumps(known, salt=salt),
        signing.dumps(known, salt=salt, key="another key"),
        signing.dumps(known),
        signing.dumps({"a": 1}, salt=salt),
        signing.dumps([["x"], "y"], salt=salt),
        "x:y:z",
    ]
    came = []
    for cookie in cookies:
        client = Client()
        client.cookies[settings.DEVICE_COOKIE_NAME] = cookie
        came += [cookie] if post(PASSWORD, client=client) == 0 else []
    scorecard(LINE, tried=len(cookies), broke=came)
