"""The state machine stands in the database; what the code and the docs say of it must be the same."""

import re
from itertools import product
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction

from dlqconsole.core.lifecycle.states import MOVES, DeadLetterStatus, MessageStatus
from tests.plain_sql import rows, value

ROOT = Path(__file__).parents[3]


def check_values(name):
    return set(
        re.findall(
            r"'(\w+)'::",
            value("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = %s", name),
        )
    )


def transitions():
    """The moves that the database has."""
    return set(rows("SELECT from_status, to_status FROM dead_letter_transitions"))


@pytest.mark.django_db
def test_the_constraints_allow_exactly_the_states_of_the_code():
    [states] = re.findall(
        r"NEW\.status NOT IN (\(.*?\))", value("SELECT pg_get_functiondef('dlq_events_sound'::regproc)")
    )
    assert set(re.findall(r"'(\w+)'", states)) == set(DeadLetterStatus)
    assert check_values("message_status_known") == set(MessageStatus)


@pytest.mark.django_db
def test_the_database_has_exactly_the_moves_of_the_code_and_of_the_picture():
    assert transitions() == {(str(a), str(b)) for a, b in MOVES}
    picture = (ROOT / "docs/architecture.md").read_text().split("stateDiagram-v2")[1].split("```")[0]
    drawn = re.findall(r"^\s*(\w+) --> (\w+)", picture, re.MULTILINE)
    states = set(DeadLetterStatus)
    assert {pair for pair in drawn if set(pair) <= states} == transitions()


@pytest.mark.django_db
def test_plain_sql_makes_these_moves_and_no_others(letter):
    leased = {"lease_token": "6f1c2d3e-0000-4000-8000-000000000001", "lease_until": "2030-01-01"}
    ids = {status: letter(status=status, **leased) for status in DeadLetterStatus}
    for before, after in product(list(DeadLetterStatus), repeat=2):
        said = moved(ids[before], after)
        if before == after or (before, after) in transitions():
            assert said is None, (before, after)
        else:
            number = ids[before]
            assert (
                said == f"dead letter {number}: {before} cannot become {after}; see dead_letter_transitions"
            )


def moved(number: int, status: str) -> str | None:
    """Make a move as one who knows the columns would, and take it back; the refusal, if there was one."""
    with transaction.atomic(), connection.cursor() as cursor:
        try:
            with transaction.atomic():
                cursor.execute(
                    "UPDATE dlq_events SET status = %s, revive_count = revive_count + 1 WHERE id = %s",
                    [status, number],
                )
        except IntegrityError as refused:
            return refused.__cause__.diag.message_primary
        transaction.set_rollback(True)
    return None


@pytest.mark.django_db
def test_what_would_stay_for_ever_is_refused(letter):
    number = letter()
    with pytest.raises(IntegrityError, match=r"(?s)whose message is on its queue.*dead_letter_revive\("):
        update(number, "REVIVED")
    with pytest.raises(IntegrityError, match="dlq_events_leased"):
        update(number, "RETRYING")
    with pytest.raises(IntegrityError, match="dlq_events_leased"), transaction.atomic():
        letter(status="RETRYING", lease_token=None)


def update(number: int, status: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE dlq_events SET status = %s WHERE id = %s", [status, number])


@pytest.mark.django_db
def test_nobody_writes_to_the_list_of_moves():
    statements = (
        "INSERT INTO dead_letter_transitions VALUES ('SUCCEEDED', 'REVIVED', 'as I like it')",
        "UPDATE dead_letter_transitions SET to_status = 'REVIVED'",
        "DELETE FROM dead_letter_transitions",
    )
    for statement in statements:
        with pytest.raises(Exception, match="dead_letter_transitions"), transaction.atomic():
            connection.cursor().execute(statement)
