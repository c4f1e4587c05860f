"""Calls of one process that are sent together, and that overlap: what ends it is put down to nobody else."""

import os
import signal
import time

import pytest

from dlqconsole.processing.isolation import Call, HandlerProcesses, ProcessLimits

POISONS = "tests.processing.isolation.poisons"


def started(threads=1, tasks=1, memory_bytes=0):
    limits = ProcessLimits(memory_bytes, 0.3, threads, tasks)
    return HandlerProcesses(f"{POISONS}:call", 1, limits, prepare=f"{POISONS}:prepare")


@pytest.fixture(scope="module")
def in_turn():
    with started(tasks=20) as processes:
        yield processes


@pytest.fixture(scope="module")
def overlapping():
    with started(threads=20, tasks=20) as processes:
        yield processes


def run(processes, *arguments, seconds=10.0, begin_by=float("inf"), comes_back=False):
    """Give these together. The value of each, or its death; None where it came back."""
    processes.begin_all(
        [Call(key, argument, seconds, begin_by, comes_back) for key, argument in enumerate(arguments)]
    )
    return list(collect(processes, len(arguments)).values())


def collect(processes, number):
    found = {}
    while len(found) < number:
        for one in processes.finished(30):
            assert one.key not in found, "it was answered twice"
            found[one.key] = (one.death or one.value) if one.begun else None
    return dict(sorted(found.items()))


def pid_of(processes):
    return run(processes, ("who",))[0]["pid"]


def reasons(results):
    return [getattr(result, "reason", result) for result in results]


@pytest.mark.parametrize("entry", ["nap", "nap_async"])
def test_calls_overlap(overlapping, entry):
    began = time.monotonic()
    assert run(overlapping, *[(entry, 0.5, number) for number in range(20)]) == list(range(20))
    assert time.monotonic() - began < 5


def test_async_calls_overlap_where_others_run_one_after_the_other(in_turn):
    began = time.monotonic()
    assert run(in_turn, *[("nap_async", 0.5, number) for number in range(20)]) == list(range(20))
    assert time.monotonic() - began < 5
    assert run(in_turn, ("where",)) == [("handlers", 1)]


def test_no_more_overlap_than_was_said():
    with started(tasks=3) as processes:
        results = run(processes, ("nap_async", 0.3), ("nap_async", 0.3), ("where",), ("where",), ("where",))
    assert max(tasks for _thread, tasks in results[2:]) <= 3


def test_answers_come_as_they_are_ready(overlapping):
    overlapping.begin_all([Call("slow", ("nap", 2), 10), Call("quick", ("nap", 0), 10)])
    assert [one.key for one in overlapping.finished(10)] == ["quick"]
    assert collect(overlapping, 1).keys() == {"slow"}


def test_an_answer_is_not_kept_back_by_the_call_after_it(in_turn):
    in_turn.begin_all([Call("quick", ("nap", 0), 10), Call("slow", ("nap", 2), 10)])
    assert [one.key for one in in_turn.finished(10)] == ["quick"]
    assert collect(in_turn, 1).keys() == {"slow"}


@pytest.mark.parametrize("size", [10, 40_000, 1_000_000])
def test_answers_of_any_size_come_once(in_turn, size):
    assert run(in_turn, *[("echo", "x" * size)] * 9) == ["x" * size] * 9


def test_what_had_not_begun_when_a_process_died_goes_to_the_next_one(in_turn, tmp_path):
    began = tmp_path / "began"
    calls = [("note", began, number) for number in range(5)]
    results = run(in_turn, *calls[:2], ("leave",), *calls[2:])
    assert reasons(results) == [0, 1, "HandlerDied: its process ended with status 9", 2, 3, 4]
    assert began.read_text().split() == ["0", "1", "2", "3", "4"], "none ran twice"


@pytest.mark.parametrize("poison", [("leave_soon", 0.3), ("leave_async",)])
def test_of_several_that_had_begun_each_runs_alone_and_one_is_blamed(overlapping, tmp_path, poison):
    began = tmp_path / "began"
    results = run(overlapping, *[("note", began, number, 0.6) for number in range(5)], poison)
    assert reasons(results) == [0, 1, 2, 3, 4, "HandlerDied: its process ended with status 9"]
    assert sorted(began.read_text().split()) == sorted("0123401234")


def test_who_does_not_stop_in_its_thread_is_killed_once_the_others_are_done(overlapping, tmp_path):
    before, began = pid_of(overlapping), tmp_path / "began"
    calls = [Call(number, ("note", began, number, 1.5), 10) for number in range(3)]
    overlapping.begin_all([Call("hung", ("nap", 60), 0.3), *calls])
    found = {}
    while len(found) < 4:
        found |= {one.key: one.death or one.value for one in overlapping.finished(30)}
    hung = found.pop("hung")
    assert hung.reason.startswith("HandlerHung: it did not stop after 0.3 s, nor in the 0.3 s after that")
    assert hung.stacktrace.splitlines()[-1].endswith("in nap")
    assert found == {0: 0, 1: 1, 2: 2}
    assert sorted(began.read_text().split()) == ["0", "1", "2"], "none ran twice"
    assert pid_of(overlapping) != before


def test_all_that_hang_in_their_threads_are_told_of_at_once(overlapping):
    began = time.monotonic()
    results = run(overlapping, *[("nap", 60)] * 10, seconds=0.3)
    assert all(result.hung for result in results)
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(("poison", "name"), [(("spin", 60), "spin"), (("swallow_exceptions",), "swallow")])
def test_what_takes_too_long_in_a_thread_is_interrupted_where_it_is(overlapping, poison, name):
    before = pid_of(overlapping)
    [death, other] = run(overlapping, poison, ("nap", 0.1, "done"), seconds=0.2)
    assert death.reason == "HandlerTimeout: the handler did not finish within 0.2 s"
    assert (death.category, death.fatal, other) == ("TRANSIENT", False, "done")
    assert f"in {name}" in death.stacktrace
    assert pid_of(overlapping) == before


def test_a_task_that_takes_too_long_is_cancelled_where_it_is(in_turn):
    before = pid_of(in_turn)
    [death, other] = run(in_turn, ("nap_async", 60), ("nap_async", 0, "done"), seconds=0.2)
    assert death.reason == "HandlerTimeout: the handler did not finish within 0.2 s"
    assert (death.fatal, other) == (False, "done")
    assert "in nap_async" in death.stacktrace
    assert pid_of(in_turn) == before


def test_a_task_that_cannot_be_cancelled_is_killed(in_turn):
    in_turn.begin_all([Call(0, ("hold_on",), 0.2), Call(1, ("nap_async", 1, "done"), 10)])
    death, other = collect(in_turn, 2).values()
    assert (death.hung, other) == (True, "done")


def test_of_tasks_that_wait_for_one_that_blocks_their_loop_only_that_is_blamed(in_turn):
    results = run(
        in_turn, ("block_the_loop", 60), ("nap_async", 0.05, 1), ("nap_async", 0.05, 2), seconds=0.3
    )
    assert [getattr(result, "hung", result) for result in results] == [True, 1, 2]


def test_errors_of_tasks(in_turn):
    results = run(in_turn, ("fail_async",), ("exit_async",), ("nap_async", 0, "on"))
    assert reasons(results) == ["ValueError: no", "HandlerDied: it raised SystemExit: enough", "on"]


def test_who_may_bear_what_another_did_runs_once_more_alone(overlapping):
    [first, second] = run(overlapping, ("take_memory",), ("nap", 0.5, "other"))
    assert (first, second) == ("no memory", "other")


def test_after_a_halt_nothing_is_begun(in_turn):
    calls = [("echo", 1), ("halt", 2), ("echo", 3), ("echo", 4)]
    assert run(in_turn, *calls, comes_back=True) == [1, 2, None, None]
    assert run(in_turn, *calls) == [1, 2, 3, 4]


def test_what_had_not_begun_when_a_process_died_comes_back_to_who_wants_to_decide(in_turn):
    results = run(in_turn, ("echo", 1), ("leave",), ("echo", 3), comes_back=True)
    assert reasons(results) == [1, "HandlerDied: its process ended with status 9", None]


def test_nothing_is_begun_too_late(in_turn):
    until = time.monotonic() + 0.3
    assert run(in_turn, ("nap", 0.6, 1), ("nap", 0, 2), begin_by=until, comes_back=True) == [1, None]


@pytest.mark.parametrize("entry", ["nap", "nap_async"])
def test_what_is_recalled_comes_back_unless_it_had_begun(in_turn, entry):
    with started(tasks=1) as processes:
        processes.begin_all([Call(number, (entry, 0.5, number), 10, comes_back=True) for number in range(4)])
        while not any(process.begun() for process in processes._by_number.values()):
            processes.finished(0.01)
        time.sleep(0.1)
        processes.recall()
        found = list(collect(processes, 4).values())
        assert found[0] == 0
        assert found[-2:] == [None, None]
        assert run(processes, (entry, 0, "on")) == ["on"]


def test_a_process_that_is_stopped_before_it_begins_is_killed(in_turn):
    pid = pid_of(in_turn)
    os.kill(pid, signal.SIGSTOP)
    [first, second] = run(in_turn, ("nap", 0, 1), ("nap", 0, 2), seconds=0.3)
    assert first.hung
    assert second == 2


def test_a_process_that_used_much_memory_is_replaced_once_nothing_runs_in_it():
    with started(threads=4, memory_bytes=60_000_000) as processes:
        results = run(processes, *[("grow",)] * 14)
        assert len({result["pid"] for result in results}) > 1
