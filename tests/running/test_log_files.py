"""A demo's process that prints all the time: its two log files stay small, and have the newest lines."""

import subprocess
import sys

import pytest

from dlqconsole.running import supervisor as supervisors
from dlqconsole.running.log_files import open_log, turn
from dlqconsole.running.supervisor import Service, Supervisor
from tests.waiting import eventually

LIMIT = 100_000
TALKER = "for number in range(1, 50_001): print(number, 'x' * 100, flush=True)"


@pytest.fixture
def supervisor(tmp_path, monkeypatch):
    """One whose logs are full soon."""
    monkeypatch.setattr(supervisors, "turn", lambda file: turn(file, LIMIT))
    made = Supervisor(tmp_path)
    yield made
    made.stop()


def test_a_talkative_process_fills_two_small_files(supervisor, tmp_path):
    """It prints five megabytes, and stays the same process. Its last line may be one that a cut loses."""
    said_all = tmp_path / "said all"
    rest = f"open({str(said_all)!r}, 'w').close(); import time; time.sleep(600)"
    supervisor.add(Service("talker", [sys.executable, "-c", f"{TALKER}\n{rest}"], {}))
    child, log = supervisor.services[0].child, tmp_path / "talker.log"

    def has_ended() -> bool:
        supervisor.tick()
        return said_all.exists()

    eventually(has_ended)
    supervisor.tick()
    assert (tmp_path / "talker.log.1").stat().st_size <= LIMIT
    assert log.stat().st_size <= LIMIT
    assert supervisor.services[0].child is child


def test_the_older_file_has_the_end_of_what_was_full(tmp_path):
    log = tmp_path / "a.log"
    with open_log(log) as file:
        subprocess.run([sys.executable, "-c", TALKER], stdout=file, check=True)
        assert turn(log, LIMIT)
        file.write(b"after\n")
    older = (tmp_path / "a.log.1").read_bytes()
    assert (len(older), older.splitlines()[-1].split()[0]) == (LIMIT, b"50000")
    assert log.read_bytes() == b"after\n"
    assert not turn(log, LIMIT)


def test_a_log_that_is_not_there_is_not_full(tmp_path):
    assert not turn(tmp_path / "none.log")
