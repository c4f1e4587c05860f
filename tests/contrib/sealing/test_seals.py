"""Sealing: every committed row once, in the order of the numbers, whoever still writes. No false alarm."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from dlqconsole.contrib.sealing import seals
from dlqconsole.contrib.sealing.models import AuditSeal
from dlqconsole.contrib.sealing.verification import count_unsealed, verify
from dlqconsole.engine import audit
from dlqconsole.engine.models import AuditEntry
from tests.contrib.sealing.conftest import as_owner, cover_up, run


def blocks() -> list[tuple[int, int]]:
    return list(AuditSeal.objects.order_by("number").values_list("up_to", "count"))


def other_session() -> psycopg.Connection:
    parameters = connection.get_connection_params()
    names = ("host", "port", "user", "password", "dbname")
    return psycopg.connect(**{name: parameters[name] for name in names if name in parameters})


def write(session: psycopg.Connection, target: str = "queue:a") -> int:
    query = "INSERT INTO audit_log (actor, action, target) VALUES ('ann', 'pause', %s) RETURNING id"
    return session.execute(query, [target]).fetchone()[0]


@pytest.mark.django_db
def test_a_block_holds_what_came_since_the_last_one(sealed):
    first, second = sealed(3), sealed(2)
    assert blocks() == [(first[-1], 3), (second[-1], 2)]
    assert seals.seal() == 0
    assert len(blocks()) == 2


@pytest.mark.django_db
def test_a_long_log_is_sealed_in_blocks(sealed, monkeypatch):
    monkeypatch.setattr(seals, "BLOCK", 3)
    rows = sealed(7)
    assert blocks() == [(rows[2], 3), (rows[5], 3), (rows[6], 1)]
    assert verify().problems == []
    assert (verify().rows, verify().seals) == (7, 3)


@pytest.mark.django_db(transaction=True)
def test_nothing_is_sealed_past_a_number_that_may_still_come():
    with other_session() as slow, other_session() as quick:
        early = write(slow)
        later = write(quick)
        quick.commit()
        assert seals.seal() == 0
        write(quick)  # somebody always writes
        assert seals.seal() == 0
        slow.commit()
        assert seals.seal() == 2
        assert [count for _, count in blocks()] == [0, 2]
        assert blocks()[-1][0] == later > early
        quick.rollback()
        assert seals.seal() == 0
        last = audit.record("ann", "pause", "queue:a").pk
        assert seals.seal() == 1
        assert blocks()[-1][0] == last
    assert verify().problems == []


@pytest.mark.django_db(transaction=True)
def test_who_seals_at_the_same_time_leaves_it_to_the_first():
    def busy(number: int) -> None:
        with other_session() as session:
            for turn in range(20):
                write(session, f"queue:{number}")
                session.rollback() if turn % 4 == 0 else session.commit()

    with ThreadPoolExecutor(4) as threads:
        writers = [threads.submit(busy, number) for number in range(3)]
        while not all(writer.done() for writer in writers):
            seals.seal()
    seals.seal()
    assert verify().problems == []
    assert sum(count for _, count in blocks()) == AuditEntry.objects.count() == 45


@pytest.mark.django_db
def test_two_beats_do_not_seal_twice(sealed):
    audit.record("ann", "pause", "queue:a")
    with other_session() as other:
        other.execute("SELECT pg_advisory_xact_lock(hashtextextended('audit_seals', 0))")
        assert seals.seal() == 0
    assert seals.seal() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("statement", ["UPDATE audit_seals SET count = 0", "DELETE FROM audit_seals"])
def test_a_seal_is_not_changed_by_a_slip(sealed, statement):
    sealed(1)
    with pytest.raises(DatabaseError, match="audit_seals only grows"), transaction.atomic():
        run(statement)


@pytest.mark.django_db
def test_a_column_that_is_new_is_sealed_from_then_on(sealed):
    sealed(2)
    run("ALTER TABLE audit_log ADD COLUMN who bigint")
    new = sealed(2)
    assert verify().problems == []
    with as_owner():
        run(f"UPDATE audit_log SET who = 7 WHERE id = {new[1]}")
        cover_up()
        assert verify().problems == [f"row {new[1]:,} was changed: who"]


@pytest.mark.django_db
def test_after_a_change_of_the_key_the_old_one_still_verifies(sealed, settings):
    settings.DLQ_AUDIT_KEY = ["first"]
    sealed(2)
    settings.DLQ_AUDIT_KEY = ["second", "first"]
    sealed(2)
    assert verify().problems == []
    settings.DLQ_AUDIT_KEY = ["second"]
    [problem] = verify().problems
    assert problem.startswith("seal 1 is forged, or made with a key that DLQ_AUDIT_KEY does not have")
    settings.DLQ_AUDIT_KEY, settings.SECRET_KEY = [], "another"
    assert len(verify().problems) == 2


@pytest.mark.django_db
def test_what_is_not_sealed_yet_is_said(sealed):
    sealed(2)
    assert count_unsealed().rows == 0
    AuditEntry.objects.create(actor="ann", action="pause", target="queue:a")
    found = count_unsealed()
    assert found.rows == 1
    assert 0 < found.seconds < timedelta(minutes=5).total_seconds()


@pytest.mark.django_db
def test_the_command_names_what_differs(sealed, capsys, tmp_path):
    rows, heads = sealed(3), tmp_path / "heads"
    call_command("verify_audit", heads=heads)
    said = capsys.readouterr().out
    assert said.startswith("3 rows in 1 seals are what they were. 1 are not sealed yet.\nHead: 1:")
    noted = said.split()[-1]
    assert heads.read_text().split()[0] == noted
    with as_owner():
        run(f"UPDATE audit_log SET actor = 'bob' WHERE id = {rows[1]}")
        cover_up()
        with pytest.raises(CommandError, match="not what it was: 1 differences"):
            call_command("verify_audit")
        assert capsys.readouterr().out == f"row {rows[1]:,} was changed: actor\n"
    call_command("verify_audit", json=True, since=noted)
    assert json.loads(capsys.readouterr().out)["problems"] == []
    with as_owner():
        run("TRUNCATE audit_log", "TRUNCATE audit_seals")
        with pytest.raises(CommandError):
            call_command("verify_audit", heads=heads)
        assert "seal 1 was there, and is gone" in capsys.readouterr().out
    with pytest.raises(CommandError, match="is no head"):
        call_command("verify_audit", since="12")
    assert AuditEntry.objects.filter(action="verify").count() == 2


@pytest.mark.django_db
@pytest.mark.parametrize("column", ["reason", "at", "actor"])
def test_the_command_names_what_keeps_it_from_writing(sealed, capsys, column):
    sealed(2)
    run(f"ALTER TABLE audit_log DROP COLUMN {column} CASCADE")
    with pytest.raises(CommandError, match="not what it was: 1 differences"):
        call_command("verify_audit")
    assert capsys.readouterr().out == f"audit_log has no column {column} any more\n"
    with pytest.raises(CommandError, match="not what it was: 1 differences"):
        call_command("verify_audit", json=True)
