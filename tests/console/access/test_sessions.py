"""Nobody stays signed in for ever: not who does nothing, not who leaves a page open, not who was changed."""

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dlqconsole.engine.models import AuditEntry
from tests.accounts import entered
from tests.console.access.test_access import ADDRESSES, address

MINUTE = 60


def age(client, name: str, minutes: float) -> None:
    """Make it so long ago that the session began, or that something was done."""
    session = client.session
    session[name] -= minutes * MINUTE
    session.save()


@pytest.mark.parametrize("minutes", [20, 29.9])
def test_who_does_something_stays(viewer, minutes):
    for _ in range(3):
        age(viewer, "seen_at", minutes)
        assert viewer.get("/").status_code == 200


def test_who_does_nothing_is_signed_out_and_told_why(viewer):
    key = viewer.session.session_key
    age(viewer, "seen_at", 31.1)
    answer = viewer.get("/dead-letters/?type=a")
    assert answer["Location"] == "/login/?next=/dead-letters/%3Ftype%3Da"
    page = viewer.get(answer["Location"]).content.decode()
    assert "You were signed out: nothing was done here for 30 minutes." in page
    assert viewer.session.session_key != key
    assert viewer.get("/").status_code == 302


def test_how_long_is_a_setting(viewer, settings):
    settings.DLQ_IDLE_MINUTES = 60
    age(viewer, "seen_at", 59)
    assert viewer.get("/").status_code == 200
    settings.DLQ_IDLE_MINUTES = 5
    age(viewer, "seen_at", 6)
    assert "for 5 minutes." in viewer.get("/", follow=True).content.decode()


def test_a_page_that_asks_by_itself_keeps_nobody_signed_in(viewer):
    """Open for the night, it asks every few seconds: that is nobody's activity."""
    poll = {"HX-Request": "true", "HX-Target": "results", "X-Live": "1"}
    for _ in range(3):
        age(viewer, "seen_at", 10)
        assert viewer.get("/dead-letters/", headers=poll).status_code == 200
    age(viewer, "seen_at", 1.1)
    answer = viewer.get("/dead-letters/", headers=poll)
    assert (answer.status_code, answer["HX-Redirect"]) == (401, "/login/")
    assert "nothing was done here" in viewer.get("/login/").content.decode()


def test_whoever_types_is_there(viewer):
    """A request during typing counts as activity."""
    for _ in range(3):
        age(viewer, "seen_at", 20)
        assert viewer.head("/login/").status_code == 302


def test_after_twelve_hours_everybody_is_signed_out(viewer):
    age(viewer, "began_at", 12 * 60 + 1)
    assert "that happens 12 hours after signing in" in viewer.get("/", follow=True).content.decode()


def test_a_session_that_does_not_say_when_it_began_is_over(viewer):
    session = viewer.session
    del session["began_at"]
    session.save()
    assert viewer.get("/").status_code == 302


@pytest.mark.parametrize("address", ["/", "/admin/", "/metrics"])
def test_no_door_lets_an_old_session_in(admin_user_client, address):
    age(admin_user_client, "seen_at", 40)
    assert admin_user_client.get(address).status_code in (302, 401)


def test_the_end_of_a_session_is_in_the_audit_once(viewer):
    age(viewer, "seen_at", 40)
    viewer.get("/")
    viewer.get("/")
    entry = AuditEntry.objects.get(action="sign out")
    assert entry.detail == {"why": "idle"}
    assert entry.actor.startswith("user:")


def test_the_reason_is_gone_after_the_next_sign_in(db, client, settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    User.objects.create_user("ann", password="a long enough password")
    form = {"username": "ann", "password": "a long enough password"}
    client.post("/login/", form)
    age(client, "seen_at", 40)
    client.get("/")
    client.post("/login/", form)
    client.post("/logout/")
    assert "You were signed out" not in client.get("/login/").content.decode()


def test_another_role_is_another_key(viewer):
    viewer.get("/")
    key = viewer.session.session_key
    viewer.get("/")
    assert viewer.session.session_key == key
    User.objects.get(username="viewer").groups.add(Group.objects.get(name="operator"))
    assert viewer.get("/").context["role"] == "operator"
    assert viewer.session.session_key != key


def test_another_password_ends_all_other_sessions(viewer):
    user = User.objects.get(username="viewer")
    user.set_password("another long password")
    user.save()
    assert viewer.get("/").status_code == 302


def test_a_health_check_asks_nobody_who_it_is(viewer):
    with CaptureQueriesContext(connection) as queries:
        viewer.get("/healthz")
    asked = " ".join(query["sql"] for query in queries)
    assert "SELECT 1" in asked
    assert "session" not in asked
    assert "auth_user" not in asked


def test_no_cache_keeps_any_page(admin_user_client, letter, scorecard):
    """Each address of the console and some that are none, the parts of pages too."""
    letter()
    pages = [
        *map(address, ADDRESSES),
        "/nothing/",
        "/admin/",
        "/admin/dlq_engine/deadletter/",
        "/dead-letters/?type=%00",
    ]
    answers = [
        (page, admin_user_client.get(page, headers=headers))
        for page in pages
        for headers in ({}, {"HX-Request": "true"})
    ]
    kept = [page for page, answer in answers if "no-store" not in answer["Cache-Control"]]
    scorecard("pages that a cache may not keep", tried=len(answers), broke=kept)


@pytest.mark.parametrize(("role", "flags"), [("operator", {}), ("", {}), ("admin", {"is_superuser": True})])
def test_the_clients_of_tests_have_signed_in_as_people_do(db, role, flags):
    user = User.objects.create(username="ann", **flags)
    user.groups.set(Group.objects.filter(name=role))
    known, ours = Client(), entered(user, role)
    known.force_login(user)
    real, written = dict(known.session), dict(ours.session)
    for name in ("began_at", "seen_at"):
        assert real.pop(name) == pytest.approx(written.pop(name), abs=60)
    assert written == real
    assert ours.get("/audit/").status_code == known.get("/audit/").status_code
