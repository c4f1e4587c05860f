"""The negative probes of the golden journeys, at the level of the service: what must not be, looked for."""

import time
from collections import Counter
from functools import partial
from uuid import uuid4

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import Attempt, AuditEntry
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages.statements import SetPages
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.requests import preview as previews
from dlqconsole.operations.work import run
from tests.accounts import actor_of
from tests.conftest import signed_in
from tests.operations.conftest import ask, counts, messages, statuses, work
from tests.plain_sql import column, execute
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)

RECIPE = {"recipe": '[{"op": "add", "path": "/mended", "value": true}]'}


def form(**fields: object) -> dict[str, object]:
    return {"kind": "revive", "reason": "the deploy fixed it", "request_key": uuid4(), "expected": 1} | fields


def failed(ids: list[int], reason: str) -> list[int]:
    """The same dead letters, of another reason."""
    execute("UPDATE dlq_events SET error_reason = %s WHERE id = ANY (%s) RETURNING id", reason, ids)
    return ids


@pytest.fixture
def refusing():
    """refusing(id) makes the database refuse every change of this dead letter."""

    def refuse(letter_id: int) -> None:
        execute(
            "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF OLD.id = {letter_id} THEN RAISE EXCEPTION 'dead letter % is poison', OLD.id; END IF;"
            " RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END; END $$"
        )
        execute(
            "CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON dlq_events"
            " FOR EACH ROW EXECUTE FUNCTION refuse_change()"
        )

    yield refuse
    execute("DROP FUNCTION IF EXISTS refuse_change CASCADE")


@pytest.mark.parametrize(
    ("filter", "touched"),
    [
        ("type=order.created", "plain"),
        ("reason=100%25", "percent"),
        ("reason=a_b", "underscore"),
        ("reason=%5Cn", "backslash"),
        ("payload.data.city=Oslo", "oslo"),
        ("queue=order.created", "plain"),
        ("q=no+such+words", None),
    ],
)
def test_all_of_a_filtered_view_touches_nothing_else(operator, letters, filter, touched):
    """A filtered view whose "all" touches unfiltered rows."""
    rows = {
        "plain": letters(3),
        "percent": failed(letters(3, "other"), "100% lost"),
        "nearly": failed(letters(3, "other"), "1000 lost, axb"),
        "underscore": failed(letters(3, "other"), "a_b"),
        "backslash": failed(letters(3, "other"), r"a\new"),
        "oslo": letters(3, "other", '{"data": {"city": "Oslo"}}'),
        "bergen": letters(3, "other", '{"data": {"city": "Bergen"}}'),
    }
    answer = operator.post("/operations/", form(scope="all", filter=filter))
    assert answer.status_code == 302, answer.content
    work()
    changed = set(column("SELECT id FROM dlq_events WHERE status = 'REVIVED'"))
    assert changed == set(rows.get(touched, []))


@pytest.mark.parametrize("filter", ["tpye=order.created", "type=order.created&colour=red", "payload=x"])
def test_a_filter_that_nobody_understands_is_not_all_dead_letters(operator, letters, filter):
    """A filtered view whose "all" touches unfiltered rows: what is not understood must not widen it."""
    letters(3)
    answer = operator.post("/operations/", form(scope="all", filter=filter), follow=True)
    assert "The filter has a part that nobody knows" in answer.content.decode()
    assert not Operation.objects.exists()
    assert statuses() == {"PENDING": 3}


def test_no_cap_is_silent(operator, letters):
    """A silent cap: more than any page, window or list shows at once, and all of them are done."""
    letters(25_000)
    operation = ask("discard", filter={}, expected=25_000)
    work(60)
    assert counts(operation) == ("completed", 25_000, 25_000, 0, 0)
    letters(receipt.ARRIVALS_LIMIT + 7)
    page = operator.get(f"/operations/{operation.pk}/").content.decode()
    assert "1,000 or more" in page


@pytest.mark.parametrize("again", [1, 2])
def test_what_fails_again_during_the_run_is_not_taken_again(letters, settings, monkeypatch, again):
    """A retry loop when revived items fail again during the run."""
    settings.DLQ_OPERATION_PAGE = 10
    letters(100)
    operations = [ask("revive", filter={}, parameters={"full_speed": True}) for _ in range(again)]
    original = SetPages.next

    def fails_again_at_once(self: SetPages, after: int):
        page = original(self, after)
        execute("DELETE FROM message_queue")
        execute(
            "UPDATE dlq_events SET status = 'PENDING', occurrences = occurrences + 1 WHERE status = 'REVIVED'"
        )
        return page

    monkeypatch.setattr(SetPages, "next", fails_again_at_once)
    work()
    assert [counts(operation) for operation in operations] == [("completed", 100, 100, 0, 0)] * again
    assert column("SELECT DISTINCT revive_count FROM dlq_events") == [again]


def test_a_retry_tries_each_once(letters):
    """A retry loop when items fail again during the run: the handler is asked once for each."""
    letters(20, payload='{"do": "transient"}')
    operation = ask("retry", filter={})
    work()
    assert counts(operation) == ("completed", 20, 0, 0, 20)
    asked = Attempt.objects.filter(kind="operation")
    assert set(Counter(asked.values_list("dlq_event_id", flat=True)).values()) == {1}


@pytest.mark.parametrize(
    ("kind", "parameters", "status"),
    [
        ("revive", {}, "PENDING"),
        ("discard", {}, "PENDING"),
        ("restore", {}, "DISCARDED"),
        ("edit", RECIPE, "PENDING"),
        ("reclassify", {"to_category": "BUSINESS"}, "PENDING"),
    ],
)
def test_one_bad_row_harms_only_itself(letters, refusing, kind, parameters, status):
    """One bad row aborting the batch."""
    ids = letters(60, status=status)
    refusing(ids[41])
    operation = ask(kind, filter={}, parameters=parameters)
    work()
    assert counts(operation) == ("completed", 60, 59, 0, 1)
    (failed,) = receipt.items(operation.pk, fate="failed")
    assert (failed.dead_letter_id, failed.reason) == (ids[41], f"dead letter {ids[41]} is poison")


def test_an_error_is_no_success(operator, letters, refusing):
    """An error swallowed into a success: nothing was done, and the receipt says so and why."""
    (letter_id,) = letters(1)
    refusing(letter_id)
    operation = ask("revive", filter={})
    work()
    assert counts(operation) == ("completed", 1, 0, 0, 1)
    page = operator.get(f"/operations/{operation.pk}/").content.decode()
    assert f"dead letter {letter_id} is poison" in page
    assert "Run the failed 1 again" in page
    entry = AuditEntry.objects.get(operation_id=operation.pk, action="completed")
    assert (entry.detail["done"], entry.detail["failed"]) == (0, 1)


def test_one_row_goes_one_way_however_many_are_open(letters, settings):
    """The same row revived through two paths: function, operation, admin and command line, eight at once."""
    settings.DLQ_OPERATION_PAGE = 7
    ids = letters(60)
    # a browser each: a test client is no two threads'
    browsers = [signed_in("admin", is_staff=True, is_superuser=True), Client()]
    browsers[1].force_login(User.objects.get(username="admin"))
    by_function: list[int] = []
    answered = []

    def function(_n: int) -> None:
        for letter_id in ids:
            by_function.extend(n for n in column("SELECT dead_letter_revive(%s)", letter_id) if n)

    def operation(n: int) -> None:
        with asking_as(EVERYTHING):
            asked = ask("revive", filter={}, actor=f"operator-{n}")
        run.run(asked.pk)

    def command(_n: int) -> None:
        call_command("deadletters", "revive", *map(str, ids), because="by command", verbosity=0)
        run.take_up(1)

    def page(n: int) -> None:
        answer = browsers[n // 4].post(
            "/admin/dlq_engine/deadletter/",
            {"action": "revive", ACTION_CHECKBOX_NAME: ids, "reason": "by admin", "select_across": "0"},
        )
        answered.append((answer.status_code, answer.get("Location"), str(answer.cookies)))
        run.take_up(1)

    paths = [function, operation, command, page] * 2
    at_once([partial(path, n) for n, path in enumerate(paths)])
    work()
    assert messages() == (60, 60)
    assert column("SELECT DISTINCT revive_count FROM dlq_events") == [1]
    done = [counts(each)[2] for each in Operation.objects.order_by("pk")]
    assert len(done) == 6, answered
    assert sum(done) + len(by_function) == 60
    assert len(set(by_function)) == len(by_function)


def test_a_refresh_shows_the_same_progress(operator, viewer, letters, settings):
    """A refresh losing progress: it stands in the database, for everybody and at every look."""
    settings.DLQ_OPERATION_PAGE = 10
    letters(50)
    operation = ask("revive", filter={}, rate=40)
    run.run(operation.pk, 0.6)
    status, _, done, _, _ = counts(operation)
    assert status == "running"
    assert 0 < done < 50
    address = f"/operations/{operation.pk}/"
    for client in (operator, operator, viewer):
        shown = client.get(address).context["operation"]
        assert (shown.status, shown.selected, shown.done, shown.remaining) == ("running", 50, done, 50 - done)
    work()
    assert operator.get(address).context["operation"].done == 50


def test_a_count_that_takes_too_long_does_not_hold_up_the_action(operator, letters, monkeypatch):
    """A slow count blocking the action: the page says so, and what was confirmed goes ahead."""
    letters(500)
    execute("ANALYZE dlq_events")
    execute("CREATE FUNCTION slowly(text) RETURNS boolean LANGUAGE sql AS 'SELECT pg_sleep(1) IS NOT NULL'")
    original = DeadLetterFilter.queryset
    with monkeypatch.context() as patch:
        patch.setattr(previews, "COUNT_BUDGET_MS", 100)
        patch.setattr(
            DeadLetterFilter,
            "queryset",
            lambda self, *asked: original(self, *asked).extra(where=["slowly(event_type)"]),
        )
        begun = time.monotonic()
        page = operator.post("/dead-letters/operations/", {"kind": "revive", "scope": "all", "filter": ""})
        hidden = {name: str(value) for name, value in page.context["preview"]["hidden"]}
        answer = operator.post("/operations/", form(**hidden))
        assert time.monotonic() - begun < 5
    execute("DROP FUNCTION slowly(text)")
    assert str(page.context["preview"]["number"]) == "500 or more"
    assert answer.status_code == 302
    work()
    assert counts(Operation.objects.get()) == ("completed", 500, 500, 0, 0)


def test_whose_account_is_closed_leaves_work_that_goes_on(operator, letters, settings):
    """The requester's account is deactivated midway: the operation goes on under the recorded authority."""
    settings.DLQ_OPERATION_PAGE = 10
    letters(50)
    operator.post("/operations/", form(scope="all", filter="", expected=50))
    operation = Operation.objects.get()
    run.run(operation.pk, 0.0)
    User.objects.filter(username="operator").update(is_active=False)
    work()
    assert counts(operation) == ("completed", 50, 50, 0, 0)
    assert set(AuditEntry.objects.filter(operation_id=operation.pk).values_list("actor", flat=True)) == {
        actor_of("operator")
    }
    refused = operator.post("/operations/", form(scope="all", filter=""))
    assert refused.status_code in (302, 401, 403)
    assert Operation.objects.count() == 1
