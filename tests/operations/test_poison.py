"""One row that the database refuses harms only itself; short faults are waited out."""

import pytest
from django.db import OperationalError, connection

from dlqconsole.operations.pages.statements import SetPages
from dlqconsole.operations.receipts import receipt
from tests.operations.conftest import ask, counts, messages, statuses, work
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def poison():
    """poison(ids) makes the database refuse to revive these."""

    def refuse(ids: list[int]) -> None:
        execute(
            "CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " IF NEW.dlq_event_id = ANY ('{" + ",".join(map(str, ids)) + "}'::bigint[]) THEN"
            " RAISE EXCEPTION 'message % is poison', NEW.dlq_event_id; END IF; RETURN NEW; END $$"
        )
        execute(
            "CREATE TRIGGER refuse_poison BEFORE INSERT ON message_queue"
            " FOR EACH ROW EXECUTE FUNCTION refuse_poison()"
        )

    yield refuse
    execute("DROP FUNCTION refuse_poison CASCADE")


def test_one_poison_row_fails_alone_with_the_databases_sentence(letters, poison):
    ids = letters(300)
    poison([ids[137]])
    operation = ask("revive", filter={})
    work()
    assert counts(operation) == ("completed", 300, 299, 0, 1)
    assert messages() == (299, 299)
    assert statuses() == {"REVIVED": 299, "PENDING": 1}
    (failed,) = receipt.items(operation.pk, fate="failed")
    assert (failed.dead_letter_id, failed.reason) == (ids[137], f"message {ids[137]} is poison")


def test_many_poison_rows_fail_alone_too(letters, poison):
    ids = letters(40)
    poison(ids[::4])
    operation = ask("revive", filter={})
    work()
    assert counts(operation) == ("completed", 40, 30, 0, 10)


def test_a_message_that_already_exists_is_the_second_guard(letters):
    first, _ = letters(2)
    execute(
        "INSERT INTO message_queue (queue, payload, dlq_event_id, revive_seq)"
        " VALUES ('q', '{}', %s, 1) RETURNING id",
        first,
    )
    operation = ask("revive", filter={})
    work()
    assert counts(operation) == ("completed", 2, 1, 0, 1)
    assert messages() == (2, 2)
    assert "message_queue_one_per_revival" in receipt.items(operation.pk, fate="failed")[0].reason


@pytest.mark.parametrize("sqlstate", ["40P01", "40001"])
def test_a_deadlock_is_tried_again(letters, monkeypatch, sqlstate):
    letters(3)
    operation = ask("revive", filter={})
    _fails_first(monkeypatch, times=3, sqlstate=sqlstate)
    work()
    assert counts(operation) == ("completed", 3, 3, 0, 0)


def test_a_terminated_backend_costs_one_page_at_most(letters, monkeypatch, settings):
    settings.DLQ_OPERATION_PAGE = 10
    letters(50)
    operation = ask("revive", filter={})
    original, calls = SetPages._run, []

    def killed(self, query, after, **more):
        calls.append(after)
        if len(calls) in (2, 4):
            with connection.copy().cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
        return original(self, query, after, **more)

    monkeypatch.setattr(SetPages, "_run", killed)
    work()
    assert counts(operation) == ("completed", 50, 50, 0, 0)
    assert messages() == (50, 50)
    assert operation.adoptions == 0


def _fails_first(monkeypatch, times: int, sqlstate: str) -> None:
    original, left = SetPages._run, [times]

    def run(self, query, after, **more):
        if left[0]:
            left[0] -= 1
            cause = Exception()
            cause.sqlstate = sqlstate
            raise OperationalError("try again") from cause
        return original(self, query, after, **more)

    monkeypatch.setattr(SetPages, "_run", run)


@pytest.fixture
def only_small_windows():
    """The database gives up a statement that selects more than five items, as one that takes too long."""
    execute(
        "CREATE FUNCTION too_many_at_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " IF (SELECT count(*) FROM selected) > 5 THEN RAISE query_canceled; END IF; RETURN NULL; END $$;"
        "CREATE TRIGGER too_many_at_once AFTER INSERT ON operation_items REFERENCING NEW TABLE AS selected"
        " FOR EACH STATEMENT EXECUTE FUNCTION too_many_at_once()"
    )
    yield
    execute("DROP FUNCTION too_many_at_once CASCADE")


def test_what_takes_too_long_to_select_at_once_is_selected_in_smaller_parts(letters, only_small_windows):
    letters(20)
    operation = ask("discard", filter={})
    work()
    assert counts(operation) == ("completed", 20, 20, 0, 0)
