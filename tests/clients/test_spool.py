"""What cannot be sent waits in the spool: nothing is lost, whoever dies, and what is dropped is said."""

import logging
import os
import signal
import textwrap

import dlq
from dlq import postgresql
from dlq.spool import open_spool
from psycopg.conninfo import conninfo_to_dict

from dlqconsole.running.ports import free_port
from tests.clients.peers import Console, Door
from tests.faults.proxy import Proxy
from tests.waiting import eventually

REPORTS_ONE = "dlq.report(ValueError('no'), 1, key='1'); print(); time.sleep(99)"
REPORTS_MANY = """
for number in range(10**6):
    dlq.report(ValueError('x' * 999), number, key=f'{os.getpid()}-{number}')
    while dlq._running[0]._unwritten:
        time.sleep(0.001)
    print(number, flush=True)
"""


def server_port():
    return int(conninfo_to_dict(os.environ["DATABASE_URL"])["port"])


def address(port):
    return f"http://t@127.0.0.1:{port}"


def keys(letters):
    return [row["source_key"] for row in letters()]


def files(folder):
    return [path for path in folder.rglob("*.jsonl") if path.stat().st_size]


def test_what_fails_while_the_database_is_away_arrives_when_it_is_back(init, reporter_url, emptied, letters):
    door = Door(server_port())
    init(reporter_url(port=door.port))
    for number in range(20):
        assert dlq.report(ValueError("no"), number, key=str(number))
    assert not dlq.flush(0.2)
    door.open()
    assert dlq.flush(10)
    assert keys(letters) == [str(number) for number in range(20)]


def test_a_server_that_answers_no_more_is_left_and_nothing_is_lost(init, reporter_url, letters, monkeypatch):
    monkeypatch.setattr(postgresql, "ANSWER_SECONDS", 0.3)
    door = Door(server_port())
    door.open()
    init(reporter_url(port=door.port))
    dlq.report(ValueError("no"), 1, key="1")
    assert dlq.flush(10)
    door.be_silent()
    dlq.report(ValueError("no"), 2, key="2")
    assert not dlq.flush(0.1)
    door.open()
    assert dlq.flush(10)
    assert [letter["source_key"] for letter in letters()] == ["1", "2"]
    door.close()


def test_a_report_whose_answer_was_lost_counts_once(init, reporter_url, emptied, letters):
    proxy = Proxy(server_port())
    init(reporter_url(port=proxy.port))
    proxy.cut("dead_letter_report", "after")
    dlq.report(ValueError("no"), 1, key="1")
    assert dlq.flush(10)
    assert (proxy.cuts, [row["occurrences"] for row in letters()]) == (1, [1])
    proxy.close()


def test_what_a_killed_process_left_is_sent_by_the_next_one(run, init, folder, console):
    closed = free_port()
    program = run(address(closed), "dlq.report(ValueError('no'), 1, key='1'); print(); time.sleep(99)")
    program.stdout.readline()
    program.send_signal(signal.SIGKILL)
    program.wait()
    assert len(files(folder)) == 1
    with_it = Console(closed)
    init(with_it.url)
    assert dlq.flush(10)
    assert with_it.keys == ["1"]
    assert files(folder) == []
    with_it.close()


def test_a_living_process_keeps_its_own(run, init, folder):
    closed = free_port()
    program = run(address(closed), "dlq.report(ValueError('no'), 1, key='1'); print(); time.sleep(99)")
    program.stdout.readline()
    init(address(closed))
    assert dlq.flush(0.1), "nothing here is this process's to send"
    assert len(files(folder)) == 1


def test_many_processes_that_report_and_are_killed_lose_and_spoil_nothing(run, init, folder, console):
    """Each prints the number of what is in its spool; all are killed in the middle of it."""
    closed = free_port()
    programs = [run(address(closed), REPORTS_MANY) for _ in range(4)]
    first = [[program.stdout.readline() for _ in range(20)] for program in programs]
    for program in programs:
        program.kill()
    said = {
        f"{program.pid}-{int(line)}"
        for program, lines in zip(programs, first, strict=True)
        for line in (*lines, *program.communicate()[0].splitlines())
        if line.strip().isdigit()  # the log is there, too
    }
    back = Console(closed)
    init(back.url)
    assert dlq.flush(30)
    assert len(said) > 60
    assert said <= set(back.keys)
    assert len(back.keys) == len(set(back.keys))
    back.close()


def test_the_end_of_a_write_that_a_process_did_not_finish_is_said(init, folder, console, caplog):
    init(console.url)
    dlq.report(ValueError("no"), 1, key="1")
    assert dlq.flush(10)
    [place] = {path.parent for path in folder.rglob("*.jsonl")}
    (place / "1-dead.jsonl").write_text('{"id": "cut of')
    assert dlq.flush(10)
    eventually(lambda: "dropped 1 report: a process died while it wrote it" in caplog.text, 10)
    dlq.report(ValueError("no"), 2, key="2")
    assert dlq.flush(10)
    assert console.stored[-1]["error"]["headers"]["dlq_dropped"] == 1
    assert console.keys == ["1", "2"]


def test_the_spool_is_bounded_and_what_is_dropped_is_said(init, folder, caplog):
    closed = free_port()
    init(address(closed), spool_bytes=50_000)
    kept = [key for key in map(str, range(100)) if dlq.report(ValueError("x" * 900), 1, key=key)]
    eventually(
        lambda: "reports: the spool is full" in caplog.text or "report: the spool is full" in caplog.text, 10
    )
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) <= 50_000
    back = Console(closed)
    assert dlq.flush(10)
    first = len(back.stored)
    dlq.report(ValueError("no"), 2, key="next")
    assert dlq.flush(10)
    assert back.stored[-1]["error"]["headers"]["dlq_dropped"] == 100 - first > 0
    assert len(kept) == 100, "whoever reports is not told: it was dropped behind"
    back.close()


def test_a_process_that_ends_sends_what_it_has(run, console):
    program = run(console.url, "dlq.report(ValueError('no'), 1, key='1')", exit_seconds=30)
    assert program.wait(30) == 0
    assert console.keys == ["1"]


def test_a_process_that_ends_while_the_console_is_away_leaves_the_rest(run, folder):
    program = run(address(free_port()), "dlq.report(ValueError('no'), 1)", exit_seconds=0.2)
    output, _ = program.communicate(timeout=30)
    assert program.returncode == 0
    assert "a later process sends what lies in the spool" in output
    assert len(files(folder)) == 1


def test_a_fork_has_files_and_a_connection_of_its_own(run, reporter_url, letters):
    code = """
dlq.report(ValueError('no'), 1, key='before')
assert dlq.flush(10)
children = []
for number in range(3):
    if not (child := os.fork()):
        dlq.report(ValueError('no'), number, key=f'child {number}')
        os._exit(0 if dlq.flush(10) else 1)
    children.append(child)
dlq.report(ValueError('no'), 1, key='after')
assert dlq.flush(10)
sys.exit(sum(os.waitpid(child, 0)[1] for child in children))
"""
    program = run(reporter_url(), code)
    output, _ = program.communicate(timeout=60)
    assert program.returncode == 0, output
    assert sorted(keys(letters)) == ["after", "before", "child 0", "child 1", "child 2"]


def test_a_child_does_not_send_what_its_parent_has_not_sent(run, console):
    console.may_answer.clear()
    code = """
dlq.report(ValueError('no'), 1, key='of the parent')
if not os.fork():
    os._exit(0 if dlq.flush(9) else 1)
print(os.wait()[1], flush=True)
"""
    program = run(console.url, code)
    assert program.stdout.readline().strip() == "0"
    assert console.stored == []


def test_where_no_folder_can_be_written_to_reports_wait_in_memory(init, tmp_path, caplog):
    caplog.set_level(logging.WARNING, "dlq")
    (tmp_path / "file").write_text("")
    closed = free_port()
    init(address(closed), spool=str(tmp_path / "file" / "spool"))
    assert "no spool outlives this process" in caplog.text
    dlq.report(ValueError("no"), 1, key="1")
    assert not dlq.flush(0.1)
    back = Console(closed)
    assert dlq.flush(10)
    assert back.keys == ["1"]
    back.close()


def test_the_spool_is_for_its_user_alone(init, folder, console):
    init(console.url)
    dlq.report(ValueError("no"), 1)
    assert dlq.flush(10)
    modes = {oct(path.stat().st_mode)[-3:] for path in folder.rglob("*")}
    assert modes == {"700", "600"}
    [place] = folder.iterdir()
    place.chmod(0o777)
    init(console.url)
    assert type(dlq._running[0]._spool).__name__ == "MemorySpool"


def test_a_full_disk_costs_no_report_while_the_console_answers(run, console):
    code = """
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    for number in range(3):
        dlq.report(ValueError('no'), number, key=str(number))
    print(dlq.flush(30))
    """
    output, _ = run(console.url, textwrap.dedent(code)).communicate(timeout=60)
    assert output.strip() == "True"
    assert console.keys == ["0", "1", "2"]


def test_a_console_at_another_address_gets_what_lies_in_the_named_folder(init, folder, console):
    init(address(free_port()))
    dlq.report(ValueError("no"), 1, key="1")
    assert not dlq.flush(0.1)
    init(console.url)
    assert dlq.flush(10)
    assert console.keys == ["1"]


def test_in_the_folder_for_all_another_address_is_named(folder, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(folder.parent))
    for name, sentence in (("one", ""), ("other", "reports for one wait in")):
        spool, said = open_spool(None, name, 1_000)
        assert said.startswith(sentence)
        assert bool(sentence) is bool(said)
        assert spool.append(b"{}\n")
        spool.close()
