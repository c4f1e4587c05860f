"""An effect happens once, and before a revive people read what has happened already."""

import os
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from django.urls import reverse

from dlqconsole.contrib.effects import ledger
from dlqconsole.contrib.effects.models import Effect
from dlqconsole.engine.models import AuditEntry, DeadLetter
from tests.operations.conftest import ask, quick, wakeups, work  # noqa: F401 - fixtures
from tests.plain_sql import value

pytestmark = pytest.mark.django_db(transaction=True)

CHARGE = "stripe.charge"


def call(function, *values):
    return value(f"SELECT {function}({', '.join(['%s'] * len(values))})", *values)


def begin(key="1", name=CHARGE):
    return call("effect_begin", name, key, "shop", key)


@pytest.fixture
def three():
    """Dead letters of the orders 1 to 3."""
    for key in "123":
        call("dead_letter_report", "order.created", "{}", "Down: no", "", "shop", key)
    return sorted(DeadLetter.objects.values_list("pk", flat=True))


def test_it_is_new_once_and_done_from_then_on():
    assert begin() == "new"
    assert call("effect_done", CHARGE, "1") is True
    assert begin() == begin() == "done"
    assert (begin("2"), begin("1", "mail")) == ("new", "new")


def test_who_died_in_between_leaves_it_unknown_and_never_skipped():
    begin()
    assert begin() == "unknown"
    assert call("effect_not_done", CHARGE, "1") is True
    assert begin() == "new"


def test_what_is_done_is_never_taken_back():
    begin()
    call("effect_done", CHARGE, "1")
    assert call("effect_done", CHARGE, "1") is False
    assert call("effect_not_done", CHARGE, "1") is False
    assert begin() == "done"


def test_of_many_at_once_one_does_it():
    def at_once(_number):
        url, name = os.environ["DATABASE_URL"], connection.settings_dict["NAME"]
        with psycopg.connect(url, dbname=name) as session:
            return session.execute("SELECT effect_begin('mail', '7', 'shop', '7')").fetchone()[0]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(at_once, range(24)))
    assert sorted(answers) == ["new"] + ["unknown"] * 23


@pytest.mark.parametrize("wrong", [("", "1", "s", "1"), (CHARGE, "", "s", "1"), (CHARGE, "1", None, "1")])
def test_an_effect_without_a_name_key_or_event_is_refused(wrong):
    with pytest.raises(Exception, match="effect_begin needs the name and the key"):
        call("effect_begin", *wrong)


def test_the_preview_of_a_revive_says_what_was_done(three, operator):
    begin("1")
    call("effect_done", CHARGE, "1")
    begin("2")
    page = " ".join(confirm(operator, three).split())
    assert '<strong>1</strong> of these have already done <span class="mono">stripe.charge</span>' in page
    assert "Of <strong>1</strong> nobody knows whether" in page
    assert "stripe.charge" not in confirm(operator, three[2:])
    assert "stripe.charge" not in confirm(operator, three, kind="discard")


def test_the_receipt_keeps_what_was_done_before_it_and_nothing_later(three, operator):
    begin("1")
    call("effect_done", CHARGE, "1")
    operation = ask("revive", ids=three)
    begin("3")
    begin("2", "mail")
    work()
    page = " ".join(operator.get(reverse("dlq:operation", args=[operation.pk])).content.decode().split())
    assert '<strong>1</strong> had already done <span class="mono">stripe.charge</span>' in page
    assert "nobody knows whether" not in page
    assert ">mail<" not in page


def test_a_person_settles_what_is_unknown(capsys):
    begin("1")
    begin("2")
    call_command("effects", "list")
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == ["1", "2"]
    call_command("effects", "done", CHARGE, "1", because="it is on their page")
    call_command("effects", "not-done", CHARGE, "2", because="it is not")
    assert (begin("1"), begin("2")) == ("done", "new")
    assert AuditEntry.objects.filter(action="effect settled").count() == 2


def test_old_ones_go_and_a_purged_dead_letter_takes_its_own_along():
    begin("1")
    begin("2")
    Effect.objects.filter(key="1").update(begun_at="2026-01-01T00:00:00Z")
    assert ledger.forget() == 1
    assert list(Effect.objects.values_list("key", flat=True)) == ["2"]


def confirm(client, ids, kind="revive"):
    answer = client.post(
        reverse("dlq:operation_confirm"), {"kind": kind, "scope": "rows", "ids": ids, "request_key": uuid4()}
    )
    return answer.content.decode()
