"""The live flights: sent one by one by plain SQL, from where the last run stopped."""

import os
import signal
import subprocess
import sys
import uuid

import psycopg
import pytest

from examples.flights.__main__ import main
from examples.flights.trickle import NoDatabaseError, Position, database_url, one_day
from tests.starting import Popen
from tests.waiting import eventually

END_ITS_SESSION = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'flights trickle' AND datname = current_database()
"""
COMMAND = [sys.executable, "-m", "examples.flights", "trickle"]


@pytest.fixture
def queue(tmp_path, monkeypatch):
    """A schema of its own with a message_queue in it; the producer's DATABASE_URL leads there."""
    if not os.environ.get("DATABASE_URL"):
        pytest.skip("needs DATABASE_URL")
    url, schema = os.environ["DATABASE_URL"], f"trickle_{uuid.uuid4().hex}"
    joined = f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3D{schema}"
    with psycopg.connect(url, autocommit=True) as connection:
        # one at a time in this database, which all processes of a run have: a session is ended by its name
        connection.execute("SELECT pg_advisory_lock(hashtext('trickle'))")
        connection.execute(f"CREATE SCHEMA {schema}")
        columns = "id bigint GENERATED ALWAYS AS IDENTITY, queue text, payload jsonb"
        connection.execute(f"CREATE TABLE {schema}.message_queue ({columns})")
        monkeypatch.setenv("DATABASE_URL", joined)
        monkeypatch.setenv("FLIGHTS_DATA_DIR", str(tmp_path))
        connection.execute(f"SET search_path = {schema}")
        yield connection
        connection.execute(f"DROP SCHEMA {schema} CASCADE")


def sent(connection):
    return connection.execute("SELECT payload ->> 'id' FROM message_queue ORDER BY id").fetchall()


def wait_until(connection, count):
    eventually(lambda: len(sent(connection)) >= count)


def test_the_day_has_968_flights_of_a_source_of_their_own():
    events = one_day()
    assert len(events) == 968
    assert {event["source"] for event in events} == {"flights-live"}
    assert {event["data"]["day"] for event in events} == {30}


def test_it_stops_cleanly_when_asked_and_goes_on_where_it_stopped(queue):
    for _ in range(2):
        before = len(sent(queue))
        process = Popen([*COMMAND, "--every", "0.05"], stderr=subprocess.PIPE, text=True)
        wait_until(queue, before + 3)
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=10)[1] == ""
        assert process.returncode == 0
    ids = [event["id"] for event in one_day()]
    assert [row[0] for row in sent(queue)] == ids[: len(sent(queue))]
    assert queue.execute("SELECT DISTINCT queue FROM message_queue").fetchall() == [("flight.departed",)]


def test_a_lost_connection_is_tried_again(queue):
    process = Popen([*COMMAND, "--every", "0.02"], stderr=subprocess.PIPE, text=True)
    wait_until(queue, 3)
    queue.execute(END_ITS_SESSION)
    wait_until(queue, len(sent(queue)) + 3)
    process.send_signal(signal.SIGTERM)
    assert "The database is away" in process.communicate(timeout=10)[1]
    ids = [row[0] for row in sent(queue)]
    assert len(ids) - len(set(ids)) <= 1  # the one whose answer was lost


def test_at_the_end_it_says_how_to_begin_again(queue, tmp_path, capsys):
    Position(tmp_path / "trickle.position").write(967)
    handlers = {name: signal.getsignal(name) for name in (signal.SIGTERM, signal.SIGINT)}
    assert main(["trickle", "--every", "0"]) == 0
    for name, handler in handlers.items():
        signal.signal(name, handler)
    assert len(sent(queue)) == 1
    assert "All 968 flights of the day are sent. To begin again, delete " in capsys.readouterr().out


def test_the_running_demo_says_where_its_database_is(tmp_path, monkeypatch):
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("DLQ_DATA_DIR", str(tmp_path))
    with pytest.raises(NoDatabaseError, match="is `make demo` running"):
        database_url()
    (tmp_path / "env").write_text(
        "# written by the demo\nexport PORT=1\nDATABASE_URL='postgresql://u:p@h:1/d?a=b'\n"
    )
    assert database_url() == "postgresql://u:p@h:1/d?a=b"


def test_without_a_database_there_is_one_line_and_status_2(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("DLQ_DATA_DIR", str(tmp_path))
    assert main(["trickle"]) == 2
    assert capsys.readouterr().err.startswith("DATABASE_URL is not set")


@pytest.mark.parametrize("text", ["", "x", "-5"])
def test_a_damaged_position_counts_as_none(tmp_path, text):
    (tmp_path / "position").write_text(text)
    assert Position(tmp_path / "position").read() == 0
