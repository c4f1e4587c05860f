"""Where nobody said who asks, nothing is shown and nothing is changed: on a page, in a command, in a task."""

import threading
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.http import HttpResponse
from django.test import RequestFactory

from dlqconsole.celery import app
from dlqconsole.console.access.permissions import ScopedRequests
from dlqconsole.engine.access_scope import (
    EVERYTHING,
    AccessScope,
    NobodyAsks,
    asking_as,
    asking_lazily,
    current_access,
)
from dlqconsole.engine.counts import groups, rollups, summaries
from dlqconsole.engine.dead_letters import excerpts
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.operations import visibility
from dlqconsole.operations.models import Operation, OperationItem
from dlqconsole.operations.pages.export_rows import letters
from dlqconsole.operations.pages.file_making import FileMaking
from dlqconsole.operations.receipts import files
from dlqconsole.operations.requests import controls, service
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.scope import Matching, Rows
from dlqconsole.operations.work import run
from dlqconsole.people.command_line import caller

pytestmark = [pytest.mark.django_db, pytest.mark.nobody_asks, pytest.mark.security]
PAGES = ("/", "/dead-letters/", "/groups/", "/operations/", "/queues/", "/schedules/", "/reports/", "/audit/")
ORDERS = AccessScope.of([("*", "order.created")])


def everything_of() -> int:
    return summaries.count_matching(DeadLetterFilter()).value


class Forgetful(GatedCommand):
    """A command that reads dead letters and never asks who is there."""

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(str(everything_of()))


class Asking(Forgetful):
    def handle(self, *args: Any, **options: Any) -> None:
        caller(options, "viewer")
        super().handle(*args, **options)


@app.task(name="tests.forgetful")
def forgetful() -> int:
    return everything_of()


@pytest.mark.parametrize(
    "read",
    [
        everything_of,
        lambda: DeadLetterFilter().queryset(),
        lambda: rollups.by_status(DeadLetterFilter()),
        lambda: groups.list_groups(["open"]),
        lambda: groups.visibility(1),
        lambda: excerpts.is_seen(1),
        lambda: visibility.operations(),
        lambda: visibility.audit_entries(),
        lambda: summaries.event_types(),
        lambda: files.items_csv(1),
        lambda: FileMaking(letters(Matching(DeadLetterFilter()).queryset()), "csv"),
        lambda: Rows.of([1]).queryset(),
        lambda: controls.require_whole(1),
        lambda: service.request_operation(
            OperationRequest("discard", Matching(DeadLetterFilter()), "x"), actor="user:1"
        ),
    ],
)
def test_nothing_is_read_for_nobody(read, letter):
    letter()
    with pytest.raises(NobodyAsks):
        read()
    assert not Operation.objects.exists()


@pytest.mark.parametrize("address", PAGES)
def test_a_page_answers_403(viewer, letter, monkeypatch, address):
    letter()
    assert viewer.get(address).status_code == 200
    monkeypatch.setattr(ScopedRequests, "__call__", lambda self, request: self.get_response(request))
    answer = viewer.get(address)
    assert answer.status_code == 403
    assert "order.created" not in answer.content.decode()


def test_a_stranger_and_a_signed_out_person_see_nothing(letter):
    letter()
    seen = []

    def view(_request: Any) -> HttpResponse:
        seen.append(everything_of())
        return HttpResponse()

    ScopedRequests(view)(RequestFactory().get("/"))
    assert seen == [0]


def test_a_command_that_does_not_say_who_asks_ends_with_a_sentence(letter):
    letter()
    with asking_as(EVERYTHING), pytest.raises(CommandError, match="Nobody said who asks"):
        call_command(Forgetful(), stdout=StringIO())
    out = StringIO()
    call_command(Asking(), stdout=out)
    assert out.getvalue() == "1\n"
    with pytest.raises(NobodyAsks):
        current_access()


def test_a_task_does_not_inherit_who_asks(letter):
    letter()
    with asking_as(EVERYTHING), pytest.raises(NobodyAsks):
        forgetful()


def test_a_thread_does_not_inherit_who_asks():
    refused = []

    def ask() -> None:
        with pytest.raises(NobodyAsks):
            current_access()
        refused.append(True)

    with asking_as(EVERYTHING):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert refused == [True]


def test_who_asks_within_is_forgotten_at_the_end_of_the_block():
    with asking_as(EVERYTHING):
        with pytest.raises(ZeroDivisionError), asking_as(ORDERS):
            1 / (current_access() != ORDERS)
        with asking_lazily(None), pytest.raises(NobodyAsks):
            current_access()
        assert current_access() == EVERYTHING


def test_what_runs_later_keeps_the_scope_under_which_it_was_made(letter):
    """A download is streamed when the request's scope has ended; nothing may widen it then."""
    mine, theirs = letter("order.created"), letter("other")
    with asking_as(EVERYTHING):
        operation = service.request_operation(
            OperationRequest("discard", Rows.of([mine, theirs]), "x"), actor="sql"
        )
    run.run(operation.pk)
    with asking_as(ORDERS):
        rows = DeadLetterFilter().queryset()
        lines = files.items_csv(operation.pk)
        export = FileMaking(letters(Matching(DeadLetterFilter()).queryset()), "csv")
    with asking_as(EVERYTHING):
        assert list(rows.values_list("pk", flat=True)) == [mine]
        assert [line.split(",")[0] for line in b"".join(lines).decode().splitlines()[1:]] == [f'"{mine}"']
        with connection.cursor() as cursor:
            cursor.execute(export.sheet.query, export.sheet.values)
            assert [row[0] for row in cursor.fetchall()] == [mine]


def test_an_operation_takes_what_its_requester_saw(letter, monkeypatch):
    """Also where the worker would see everything: the stored scope is the narrower one."""
    monkeypatch.setattr(service, "wake", lambda *_: None)
    mine, _theirs = letter("order.created"), letter("other")
    with asking_as(ORDERS):
        request = OperationRequest("discard", Matching(DeadLetterFilter()), "x")
        operation = service.request_operation(request, actor="sql")
    with asking_as(EVERYTHING):
        run.run(operation.pk)
    items = OperationItem.objects.filter(operation=operation)
    assert list(items.values_list("dead_letter_id", flat=True)) == [mine]
