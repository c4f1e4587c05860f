"""The state machine stands in four places; they must say the same."""

import re
from pathlib import Path

import pytest
from django.db import connection

from dlqconsole.engine.lifecycle.states import MOVES, DeadLetterStatus, MessageStatus

ROOT = Path(__file__).parents[3]


def check_values(name):
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = %s", [name])
        return set(re.findall(r"'(\w+)'::", cursor.fetchone()[0]))


@pytest.mark.django_db
def test_the_constraints_allow_exactly_the_states_of_the_code():
    assert check_values("dlq_events_status") == set(DeadLetterStatus.values)
    assert check_values("message_queue_status") == set(MessageStatus.values)


def test_the_picture_in_the_docs_shows_exactly_the_moves_of_the_code():
    picture = (ROOT / "docs/architecture.md").read_text().split("stateDiagram-v2")[1].split("```")[0]
    drawn = re.findall(r"^\s*(\w+) --> (\w+)", picture, re.MULTILINE)
    states = set(DeadLetterStatus.values)
    assert {pair for pair in drawn if set(pair) <= states} == {(str(a), str(b)) for a, b in MOVES}


def test_every_move_in_the_sql_is_a_move_of_the_code():
    """Reads each UPDATE of dlq_events: where it comes from and where it goes."""
    texts = [path.read_text() for path in ROOT.glob("dlqconsole/**/sql/*.sql")]
    sources = {"RETRYING", "REVIVED", "PENDING", "EXHAUSTED", "QUARANTINED", "DISCARDED"}
    for text in texts:
        for update in re.findall(r"UPDATE (?:public\.)?dlq_events.*?RETURNING", text, re.DOTALL):
            target = re.search(r"SET status = '(\w+)'", update)
            came_from = re.search(r"WHERE.*\bstatus (?:= '(\w+)'|IN \(([^)]*)\))", update, re.DOTALL)
            if not target or not came_from:
                continue
            froms = {came_from[1]} if came_from[1] else set(re.findall(r"'(\w+)'", came_from[2]))
            for source in froms & sources:
                if source != target[1]:
                    assert (DeadLetterStatus(source), DeadLetterStatus(target[1])) in MOVES
