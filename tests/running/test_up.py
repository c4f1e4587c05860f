"""From an empty database to a done operation, by the installed wheel: four processes, and no Redis."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import psycopg
import pytest

from dlqconsole import __version__
from dlqconsole.running.ports import free_port
from dlqconsole.system.processes import all_processes
from tests.waiting import eventually

pytestmark = pytest.mark.slow

MOST_MEMORY = 400  # MiB
LETTERS = """
INSERT INTO dlq_events (event_type, payload, error_reason, status, retry_count, retry_after)
SELECT 'order.created', jsonb_build_object('order_id', g), 'connection refused', 'PENDING', 0, now()
FROM generate_series(1, 50) g
"""
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


@dataclass
class Console:
    """A running `dlqconsole up`, and a person in front of it."""

    process: subprocess.Popen[str]
    programs: Path
    environment: dict[str, str]
    url: str
    database: str

    @property
    def data(self) -> Path:
        return Path(self.environment["XDG_STATE_HOME"], "dlqconsole")

    def command(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        line = [str(self.programs / "dlqconsole"), *words]
        return subprocess.run(line, env=self.environment | more, capture_output=True, text=True, cwd="/")

    def person(self) -> OpenerDirector:
        """Somebody who has signed in with the first password."""
        browser = build_opener(HTTPCookieProcessor(CookieJar()))
        token = TOKEN.search(browser.open(f"{self.url}login/").read().decode())[1]
        password = (self.data / "first-sign-in").read_text().strip()
        form = {"username": "admin", "password": password, "csrfmiddlewaretoken": token}
        browser.open(f"{self.url}login/", urlencode(form).encode())
        return browser

    def processes(self) -> list[int]:
        """The supervisor and all that it or a child of it started."""
        family = {self.process.pid}
        parents = {pid: _parent(pid) for pid in all_processes()}
        while more := {pid for pid, parent in parents.items() if parent in family} - family:
            family |= more
        return sorted(family)


@pytest.fixture(scope="module")
def console(installed, empty_database, shell, tmp_path_factory) -> Iterator[Console]:
    port = free_port()
    log = tmp_path_factory.mktemp("up") / "log"
    line = [str(installed / "dlqconsole"), "up", "--port", str(port), "--database-url", empty_database]
    with log.open("w") as out:
        process = subprocess.Popen(
            line, env=shell, cwd=log.parent, stdin=subprocess.DEVNULL, stdout=out, stderr=out, text=True
        )
    try:
        eventually(lambda: "Ready: " in log.read_text() or process.poll() is not None)
        assert process.poll() is None, log.read_text()
        yield Console(process, installed, shell, f"http://127.0.0.1:{port}/", empty_database)
    finally:
        process.terminate()
        process.wait(60)


def test_the_first_administrator_signs_in(console):
    page = console.person().open(console.url).read().decode()
    assert "Sign out" in page
    assert f"dlqconsole {__version__}" in page
    assert (console.data / "first-sign-in").stat().st_mode & 0o777 == 0o600


def test_static_files_come(console):
    style = build_opener().open(f"{console.url}static/dlqconsole/console/console.css")
    assert style.headers["Content-Type"].startswith("text/css")
    assert b".topbar" in style.read()


def test_an_operation_runs_to_its_end(console):
    with closing(psycopg.connect(console.database, autocommit=True)) as database:
        database.execute(LETTERS)
        # in another terminal, without a setting: it finds the running console
        asked = console.command("deadletters", "discard", "--all", "--because", "a test")
        assert asked.returncode == 0, asked.stderr
        done = "SELECT count(*) FROM dlq_events WHERE status = 'DISCARDED'"
        eventually(lambda: database.execute(done).fetchone() == (50,))


def test_it_is_ready_without_a_broker(console):
    lines = build_opener().open(f"{console.url}readyz").read().decode().splitlines()
    assert lines[0] == "ready"
    assert "workers for operations: 1" in lines
    assert "broker" not in " ".join(lines)


def test_four_processes_take_less_than_400_mib(console):
    pids = console.processes()
    sizes = [_memory(pid) for pid in pids]
    resident, proportional = (sum(size[kind] for size in sizes) // 1024 for kind in ("Rss", "Pss"))
    print(f"dlqconsole up: {len(pids)} processes, {resident} MiB resident, {proportional} MiB proportional")
    assert len(pids) <= 4
    assert resident <= MOST_MEMORY


def test_a_part_that_dies_is_started_again(console):
    before = console.processes()
    (work,) = [pid for pid in before if b"\0work" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    os.kill(work, signal.SIGKILL)
    eventually(lambda: work not in console.processes() and len(console.processes()) == len(before))


def test_check_says_what_production_lacks(console):
    said = console.command("check")
    assert said.returncode == 1
    assert "Passwords and cookies go without HTTPS" in said.stdout
    assert "is a superuser" in said.stdout
    assert "Traceback" not in said.stderr


def test_remove_refuses_while_somebody_works(console, tmp_path):
    said = console.command("remove", "--yes", "--to", str(tmp_path / "out"))
    assert said.returncode == 1
    assert said.stderr.startswith("CommandError: Stop these first")


def test_after_a_stop_nobody_is_left(console):
    family = console.processes()
    console.process.terminate()
    assert console.process.wait(60) == 0
    assert not set(family) & set(all_processes())
    assert not (console.data / "env").exists()


def test_remove_exports_what_is_there_and_drops_the_rest(console, tmp_path):
    out = tmp_path / "out"
    # the part that was killed above is thought to live for two minutes
    words = ("remove", "--yes", "--force", "--to", str(out))
    said = console.command(*words, DATABASE_URL=console.database)
    assert said.returncode == 0, said.stderr
    assert "dlq_events.jsonl.gz: 50 rows" in (out / "removed.txt").read_text()
    with closing(psycopg.connect(console.database)) as database:
        left = database.execute("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace")
        assert left.fetchone() == (0,)


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _memory(pid: int) -> dict[str, int]:
    """Resident and proportional size in KiB."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return {kind: int(number) for kind, number in re.findall(r"^(Rss|Pss): +(\d+) kB", text, re.MULTILINE)}
