"""A database that is away, or not migrated, is one sentence of every command: it names the setting."""

import signal

import pytest
from django.db import connection

from tests.command_line.processes import NOWHERE, address_here, ended, started
from tests.plain_sql import execute
from tests.waiting import eventually

AWAY = "CommandError: The database of DATABASE_URL does not answer: connection failed: "


@pytest.mark.parametrize(
    "arguments",
    [
        ("queues",),
        ("deadletters", "count"),
        ("release_sign_in", "ann", "--because", "a test"),
        ("relay", "--once"),
        ("consume", "a", "--until-empty"),
        ("consume", "a", "--until-empty", "--processes", "2"),
        # Django's own
        ("migrate",),
        ("createsuperuser", "--noinput", "--username", "ann", "--email", "ann@example.org"),
    ],
)
def test_a_database_that_never_answers_ends_a_command_with_a_sentence(arguments):
    status, said = ended(*arguments, database=NOWHERE)
    assert status == 1
    assert said.startswith(AWAY)
    assert said.count("\n") == 1
    assert "hush-hush" not in said


def test_who_asks_for_the_traceback_gets_it():
    status, said = ended("migrate", "--traceback", database=NOWHERE)
    assert status == 1
    assert "Traceback" in said


def test_a_consumer_goes_on_trying_and_says_what_does_not_answer(tmp_path):
    with open(tmp_path / "said", "w+") as said, started("consume", "a", database=NOWHERE, stderr=said) as run:
        eventually(lambda: (tmp_path / "said").read_text().count("trying again") > 1, 60)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=60)
    words = (tmp_path / "said").read_text()
    assert "the database of DATABASE_URL does not answer, trying again: connection failed" in words
    assert "Traceback" not in words


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_not_migrated_is_told_from_one_that_is_away():
    execute("CREATE DATABASE not_migrated TEMPLATE template0")
    try:
        name = f"/{connection.settings_dict['NAME']}"
        for arguments in (("release_sign_in", "ann", "--because", "a test"), ("queues",)):
            status, said = ended(*arguments, database=address_here().removesuffix(name) + "/not_migrated")
            assert status == 1
            assert said == (
                "CommandError: The schema public of this database lacks tables of dlqconsole."
                " Make them first: manage.py migrate\n"
            )
    finally:
        execute("DROP DATABASE not_migrated WITH (FORCE)")
