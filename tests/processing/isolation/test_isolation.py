"""The harm that a handler does to its process is the failure of its own call, and of no other."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.isolation import Death, HandlerProcesses, ProcessLimits

POISONS = "tests.processing.isolation.poisons"
LIMITS = ProcessLimits(memory_bytes=100 * 1024**2, grace_seconds=0.3)


@pytest.fixture(scope="module")
def processes():
    with HandlerProcesses(f"{POISONS}:call", 2, LIMITS, prepare=f"{POISONS}:prepare") as processes:
        yield processes


def run(processes, *argument, seconds=10.0):
    """One call: its value, or its death."""
    processes.begin("it", argument, seconds)
    [done] = processes.finished(30)
    assert done.key == "it"
    return done.value if done.death is None else done.death


def gone(pid, seconds=5.0):
    until = time.monotonic() + seconds
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < until:
        time.sleep(0.02)
    return not os.path.exists(f"/proc/{pid}")


def test_a_value_goes_there_and_back(processes):
    for value in (None, {"a": [1, 2.5, "ü"]}, b"\x00" * 2_000_000):
        assert run(processes, "echo", value) == value


def test_a_process_takes_one_call_after_another(processes):
    first, second = run(processes, "who"), run(processes, "who")
    assert (first["pid"], first["calls"] + 1) == (second["pid"], second["calls"])
    assert first["prepared"] == first["parent"] != os.getpid()


def test_quick_calls_go_together_and_of_those_that_kill_each_is_told_by_itself():
    arguments = [("echo", number) for number in range(60)]
    arguments[7] = arguments[31] = ("leave",)
    with HandlerProcesses(f"{POISONS}:call", 1, LIMITS, prepare=f"{POISONS}:prepare") as processes:
        found = list(processes.run_all(arguments, 10.0))
        assert [one.death and one.death.error_class for one in found] == [
            "HandlerDied" if place in (7, 31) else None for place in range(60)
        ]
        assert [one.value for one in found if not one.death] == [
            number for number in range(60) if number not in (7, 31)
        ]
        [first, second] = processes.run_all([("who",), ("who",)], 10.0)
        assert (first.value["pid"], first.value["calls"] + 1) == (second.value["pid"], second.value["calls"])


def test_calls_run_side_by_side_and_a_death_harms_its_own_only(processes):
    processes.begin("slow", ("talk",), 10)
    processes.begin("killer", ("leave",), 10)
    assert processes.idle == 0
    assert sorted(processes.running) == ["killer", "slow"]
    with pytest.raises(ValueError, match="all 2 processes are busy"):
        processes.begin("third", ("who",), 10)
    done = {}
    while processes.running:
        done |= {each.key: each for each in processes.finished(10)}
    assert done["slow"].value == "said"
    assert done["killer"].death.reason == "HandlerDied: its process ended with status 9"


@pytest.mark.parametrize(
    ("poison", "reason"),
    [
        ("leave", "HandlerDied: its process ended with status 9"),
        ("crash", "HandlerDied: its process was ended by signal 11 (SIGSEGV)"),
        ("exit_politely", "HandlerDied: it raised SystemExit: enough"),
        ("interrupt", "HandlerDied: it raised KeyboardInterrupt"),
        ("leak", "HandlerOutOfMemory: it needed more than 100 MiB"),
        ("grow_unseen", "HandlerOutOfMemory: it needed more than 100 MiB"),
        ("close_everything_and_wait", "HandlerDied: it closed the connection that its process answers on"),
        ("write_into_everything", "HandlerDied: it wrote into the connection that its process answers on"),
        ("write_text_into_everything", "HandlerDied: it wrote into the connection that its process"),
        ("kill_the_template", "HandlerDied: the process that starts the handlers' processes ended"),
    ],
)
def test_an_end_of_its_process_is_the_calls_failure(processes, poison, reason):
    death = run(processes, poison)
    assert isinstance(death, Death), death
    assert death.reason.startswith(reason)
    assert death.fatal
    assert not death.hung
    assert run(processes, "echo", "on") == "on"


@pytest.mark.parametrize("kills", ["kill_the_template", "kill_the_template_by_its_group"])
def test_who_kills_the_parent_of_all_is_blamed_alone(kills):
    """Those that ran beside it are begun once more, each alone, and succeed."""
    with HandlerProcesses(f"{POISONS}:call", 4) as processes:
        for key in ("a", "b", "c"):
            processes.begin(key, ("wait",), 10.0)
        processes.begin("killer", (kills,), 10.0)
        assert processes.idle == 0
        found = {}
        while len(found) < 4:
            found |= {done.key: done for done in processes.finished(30)}
        assert [key for key, done in found.items() if done.death] == ["killer"]
        assert found["killer"].death.fatal
        assert run(processes, "echo", "on") == "on"


@pytest.mark.parametrize("poison", ["hang", "swallow_exceptions"])
def test_what_takes_too_long_is_interrupted_where_it_is(processes, poison):
    death = run(processes, poison, seconds=0.2)
    assert death.reason == "HandlerTimeout: the handler did not finish within 0.2 s"
    assert (death.category, death.fatal) == ("TRANSIENT", False)
    assert f"in {poison}" in death.stacktrace


@pytest.mark.parametrize("poison", ["swallow_everything", "sleep_in_c"])
def test_what_cannot_be_interrupted_is_killed_and_says_where_it_was(processes, poison):
    began = time.monotonic()
    death = run(processes, poison, seconds=0.2)
    assert (
        death.reason
        == "HandlerHung: it did not stop after 0.2 s, nor in the 0.3 s after that, and was killed"
    )
    assert death.hung
    assert death.fatal
    assert death.stacktrace.splitlines()[-1].endswith(f"in {poison}")
    assert time.monotonic() - began < 10


def test_errors_and_odd_values_are_no_deaths(processes):
    assert run(processes, "fail").reason == "ValueError: no"
    before = run(processes, "who")["pid"]
    assert run(processes, "not_picklable").reason.startswith("UnusableRecord: it cannot be sent: ")
    assert run(processes, "who")["pid"] == before


def test_a_fork_of_the_handlers_own_answers_nothing(processes):
    assert run(processes, "fork") == "the parent's"
    assert run(processes, "echo", 1) == 1


def test_who_closes_the_connection_and_returns_is_answered_all_the_same(processes):
    before = run(processes, "who")["pid"]
    assert run(processes, "close_everything") == "heard"
    assert run(processes, "who")["pid"] != before


def test_threads_of_a_handler_keep_nobody_waiting(processes):
    assert run(processes, "start_threads") == "started"
    assert run(processes, "echo", 1) == 1


@pytest.mark.parametrize(
    "leaves", ["leave_a_thread_that_ends_it", "start_threads", "leave_something_running"]
)
def test_what_a_call_leaves_behind_ends_with_its_process_and_harms_no_other(leaves):
    with HandlerProcesses(f"{POISONS}:call") as processes:
        before = run(processes, "who")
        run(processes, leaves)
        after = run(processes, "wait")
        assert after["pid"] != before["pid"]
        assert run(processes, "use_threads_and_processes")["pid"] == after["pid"], "these had all ended"
        assert run(processes, "who")["pid"] == after["pid"]


def test_a_record_far_too_long_is_no_death(processes):
    death = run(processes, "write_a_long_record")
    assert death.reason.startswith("RecordTooLarge: the handler's record is far more than 1,048,576 bytes")
    assert not death.fatal


def test_what_a_handler_prints_reaches_our_output(processes, capfd):
    with HandlerProcesses(f"{POISONS}:call") as talking:
        assert run(talking, "talk") == "said"
    said = capfd.readouterr()
    assert (said.out, said.err) == ("said " * 10 + "\n", "and to the other\n")


def test_what_a_handler_started_ends_with_its_process():
    with HandlerProcesses(f"{POISONS}:call") as processes:
        assert gone(run(processes, "leave_something_running"))


def test_nothing_of_ours_is_open_in_there():
    previous = signal.signal(signal.SIGUSR1, lambda *_: None)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.set_inheritable(True)
        with HandlerProcesses(f"{POISONS}:call") as processes:
            assert run(processes, "descriptors") == ["/memfd", "socket"]  # its notes and its channel
            assert run(processes, "signals") == []
    signal.signal(signal.SIGUSR1, previous)


def test_a_process_is_replaced_when_it_has_grown():
    with HandlerProcesses(f"{POISONS}:call", limits=ProcessLimits(memory_bytes=16_000_000)) as processes:
        assert [run(processes, "grow")["calls"] for _ in range(6)] == [1, 2, 3, 4, 1, 2]


def test_an_idle_process_that_died_is_replaced(processes):
    pid = run(processes, "who")["pid"]
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.1)
    assert run(processes, "who")["pid"] != pid


def test_one_that_is_stopped_is_killed(processes):
    processes.begin("it", ("hang",), 0.2)
    assert processes.finished(0.05) == []
    pid = next(each.pid for each in processes._by_number.values() if each.calls)
    os.kill(pid, signal.SIGSTOP)
    [done] = processes.finished(10)
    assert done.death.hung
    assert gone(pid)


def test_modules_that_start_threads_are_imported_by_each_process():
    with HandlerProcesses("tests.processing.isolation.late:call", 2) as processes:
        for number in (1, 2):
            processes.begin(number, number, 10)
        results = {}
        while processes.running:
            results |= {each.key: each.value for each in processes.finished(10)}
    (first, pid, threads), (second, other, _) = results[1], results[2]
    assert (first, second, threads) == (1, 2, 2)
    assert pid != other


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ("tests.processing.isolation.broken:call", "RuntimeError: its settings are wrong"),
        (f"{POISONS}:nothing", "AttributeError: .*has no attribute 'nothing'"),
    ],
)
def test_what_cannot_be_imported_stops_the_start(entry, sentence):
    with pytest.raises(SetupError, match=sentence):
        HandlerProcesses(entry)


KILLED = f"""
import os, signal
from dlqconsole.processing.isolation import HandlerProcesses
processes = HandlerProcesses("{POISONS}:call", 2)
processes.begin(1, ("who",), 10)
[done] = processes.finished(10)
processes.begin(2, ("leave_something_running",), 10)
[left] = processes.finished(10)
processes.begin(3, ("swallow_everything",), 60)
print("pids", done.value["pid"], done.value["parent"], left.value, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_is_left_of_a_parent_that_was_killed():
    ended = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, timeout=30, check=False)
    # what the handler itself printed may stand before it, or be lost with the parent
    pids = [int(pid) for pid in ended.stdout.partition(b"pids")[2].split()[:3]]
    assert len(pids) == 3
    assert all(gone(pid) for pid in pids)


def test_closing_ends_all():
    with HandlerProcesses(f"{POISONS}:call", 2) as processes:
        who = run(processes, "who")
        processes.begin("it", ("swallow_everything",), 60)
        processes.finished(0.05)
    with suppress(ProcessLookupError):
        os.kill(who["pid"], 0)
    assert gone(who["pid"])
    assert gone(who["parent"])
