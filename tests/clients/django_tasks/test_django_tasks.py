"""Django's tasks that failed are dead letters; the console that is a guest enqueues what was revived."""

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

CHECKOUT = Path(__file__).parents[3]
PROJECT = Path(__file__).parent / "project"


@pytest.fixture(scope="module")
def seen(test_database, tmp_path_factory):
    """All that the shop's program saw, on an empty database."""
    name, folder = f"test_tasks_{secrets.token_hex(4)}", tmp_path_factory.mktemp("shop")
    address = f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{name}"
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(map(str, (PROJECT, CHECKOUT, CHECKOUT / "clients/python"))),
        "DATABASE_URL": address,
        "SHOP_CONSOLE": f"{address}?options=-csearch_path%3Ddlq",
        "SHOP_FOLDER": str(folder),
        "SHOP_SPOOL": str(folder / "spool"),
    }
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(Identifier(name)))
        done = subprocess.run(
            [sys.executable, PROJECT / "play.py"],
            env=environment, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))
    assert done.returncode == 0, done.stderr[-6000:]
    return json.loads(done.stdout)


def outcomes(letter):
    return [(kind, outcome) for kind, outcome, _reason in letter["attempts"]]


def test_a_failed_task_is_a_dead_letter_with_its_arguments_and_its_exception(seen):
    letter = seen["failed"]
    assert [letter[name] for name in ("event_type", "source", "source_key", "queue")] == [
        "shop.tasks.charge", "django-tasks:shop", letter["key"], "django-tasks:shop",
    ]  # fmt: skip
    assert letter["payload"] == {
        "args": ["7", {"$type": "int", "value": str(2**70)}],
        "kwargs": {"currency": "EUR"},
    }
    assert letter["error_reason"] == "BankIsAway: bank.example.org did not answer in 5 s"
    assert "ask_the_bank" in letter["error_stacktrace"]
    task = letter["headers"]["django_task"]
    assert [task[name] for name in ("backend", "queue", "priority", "attempts")] == [
        "default",
        "default",
        0,
        1,
    ]


def test_a_revived_task_that_fails_again_is_the_next_attempt_of_its_dead_letter(seen):
    assert outcomes(seen["failed again"]) == [("reported", "failed"), ("revive", "failed")]


def test_its_success_closes_the_dead_letter_and_it_ran_with_the_same_arguments(seen):
    assert outcomes(seen["closed"])[2:] == [("revive", "succeeded")]
    assert seen["done"] == [f"('7', {2**70}) {{'currency': 'EUR'}}"]


def test_a_task_that_somebody_runs_again_by_other_means_closes_it_too(seen):
    assert outcomes(seen["by other means"]) == [("reported", "failed"), ("scheduler", "succeeded")]


def test_it_goes_to_the_queue_of_its_own_with_its_priority(seen):
    assert seen["routed"] == ["mails", 5, "default", {"args": ["routed"], "kwargs": {}}]


def test_an_error_that_a_backend_keeps_as_text_is_told_as_the_exception_was(seen):
    assert seen["kept"]["error_reason"] == "BankIsAway: bank.example.org did not answer in 5 s"
    assert "ask_the_bank" in seen["kept"]["error_stacktrace"]


def test_an_async_task_tells_its_exception(seen):
    assert seen["async"]["event_type"] == "shop.tasks.charge_async"
    assert "ask_the_bank" in seen["async"]["error_stacktrace"]


def test_a_relay_that_ends_halfway_enqueues_nothing_and_the_dead_letter_returns(seen):
    assert seen["half made"] == 0
    assert outcomes(seen["half"]) == [("reported", "failed"), ("revive", "lost")]


def test_a_failure_that_no_worker_reports_returns_after_ten_minutes(seen):
    assert seen["silent, just now"]["status"] == "REVIVED"
    assert "failed with builtins.ImportError, and no worker reported it" in seen["silent"]["attempts"][-1][2]


def test_a_backend_that_enqueues_outside_a_transaction_is_refused(seen):
    assert seen["at once"]["event_type"] == "shop.tasks.charge"
    assert "its backend is ImmediateBackend" in seen["at once"]["error_reason"]


def test_a_report_can_have_nothing_imported_but_tasks_of_the_project(seen):
    assert "is in no application of this project" in seen["told"]["antigravity.nothing"]
    assert not seen["imported"]
    assert "is no task" in seen["told"]["shop.tasks.ask_the_bank"]
    assert "there is no task 'shop.tasks.gone'" in seen["told"]["shop.tasks.gone"]


def test_it_is_attached_once_by_the_projects_name(seen):
    assert "Write django-tasks:shop." in seen["refused"][0]
    assert seen["refused"][1] is None
    assert seen["attached"] == ["", 0, 0]
