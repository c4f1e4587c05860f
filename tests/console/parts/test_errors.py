"""A database that is away or busy is a page with a sentence, not a traceback."""

import pytest
from django.db import DataError, InterfaceError, InternalError, OperationalError
from psycopg.errors import DiskFull, QueryCanceled, ReadOnlySqlTransaction, TooManyConnections

from dlqconsole.console.dead_letters import list_views as dead_letters


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.fixture
def breaking(monkeypatch):
    """The list meets this error."""

    def meet(error: Exception) -> None:
        def fail(*args, **kwargs):
            raise error

        monkeypatch.setattr(dead_letters.summaries, "event_types", fail)

    return meet


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("server closed the connection unexpectedly"),
        InterfaceError("connection already closed"),
        caused(OperationalError("x"), TooManyConnections("sorry, too many clients already")),
    ],
)
def test_database_that_is_away_is_said_so(viewer, breaking, error):
    breaking(error)
    answer = viewer.get("/dead-letters/")
    assert answer.status_code == 503
    assert answer["Retry-After"] == "5"
    assert "does not answer" in answer.content.decode()
    assert "Traceback" not in answer.content.decode()


def test_question_that_takes_too_long_is_told_from_a_database_that_is_away(viewer, breaking):
    breaking(caused(OperationalError("x"), QueryCanceled("canceling statement")))
    assert "took too long" in viewer.get("/dead-letters/").content.decode()


def test_a_full_disk_is_said_so(viewer, breaking):
    breaking(caused(OperationalError("could not extend file"), DiskFull("could not extend file")))
    answer = viewer.get("/dead-letters/")
    assert answer.status_code == 503
    assert "The disk of the database is full. Nothing was changed." in answer.content.decode()


def test_a_database_that_is_read_only_is_said_so(viewer, breaking):
    breaking(caused(InternalError("x"), ReadOnlySqlTransaction("cannot execute UPDATE")))
    answer = viewer.get("/dead-letters/")
    assert answer.status_code == 503
    assert "The database takes no changes now" in answer.content.decode()


def test_htmx_gets_one_sentence_that_is_safe_to_swap(viewer, breaking):
    breaking(OperationalError("<script>"))
    answer = viewer.get("/dead-letters/", headers={"HX-Request": "true"})
    assert answer.status_code == 503
    assert answer.content.startswith(b"<p ")
    assert b"script" not in answer.content


@pytest.mark.parametrize(
    "error",
    [DataError("invalid"), ValueError("PostgreSQL text fields cannot contain NUL (0x00) bytes")],
)
def test_input_that_the_database_cannot_hold_is_refused(viewer, breaking, error):
    breaking(error)
    assert viewer.get("/dead-letters/").status_code == 400


def test_database_that_goes_away_before_any_view_is_said_so(viewer, monkeypatch):
    def fail(*args):
        raise OperationalError("gone")

    monkeypatch.setattr("dlqconsole.console.access.session_store.SessionStore.load", fail)
    viewer.raise_request_exception = False
    answer = viewer.get("/dead-letters/")
    assert answer.status_code == 503
    assert "does not answer" in answer.content.decode()


def test_our_own_mistake_is_a_page_without_details(viewer, breaking):
    breaking(RuntimeError("secret detail"))
    viewer.raise_request_exception = False
    answer = viewer.get("/dead-letters/")
    assert answer.status_code == 500
    assert "secret detail" not in answer.content.decode()


def test_unknown_address_is_a_page(viewer):
    assert viewer.get("/no/such/page").status_code == 404
