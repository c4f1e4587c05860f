"""Our way to a session's row finds what Django's own finds, and nothing else."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore as DjangosStore
from django.contrib.sessions.models import Session
from django.utils.timezone import now

from dlqconsole.console.access.session_store import SessionStore


def rows(key: str):
    return Session.objects.filter(pk=key)


def over(key: str) -> None:
    rows(key).update(expire_date=now() - timedelta(seconds=1))


def forged(key: str) -> None:
    data = rows(key).get().session_data
    rows(key).update(session_data=data[:-1] + ("a" if data[-1] != "a" else "b"))


def gone(key: str) -> None:
    rows(key).delete()


@pytest.mark.parametrize(("change", "is_read"), [(None, True), (over, False), (forged, False), (gone, False)])
def test_what_is_read_is_what_django_reads(viewer, change, is_read):
    key = viewer.session.session_key
    if change:
        change(key)
    ours, djangos = SessionStore(key), DjangosStore(key)
    found = ours.load()
    assert bool(found) == is_read
    assert found == djangos.load()
    assert ours.session_key == djangos.session_key


def test_a_request_reads_its_session_by_one_plain_statement(viewer, django_assert_num_queries):
    with django_assert_num_queries(1) as asked:
        assert SessionStore(viewer.session.session_key)["began_at"]
    assert "SELECT session_data" in asked.captured_queries[0]["sql"]


def test_no_character_in_a_cookie_breaks_anything(client, db):
    for key in ("x" * 5000, "'; DROP TABLE django_session; --", "\x00" * 32):
        client.cookies[settings.SESSION_COOKIE_NAME] = key
        assert client.get("/").status_code == 302, key
