"""The threads of a queue: the same work once, or so often, at a time; an error ends none of them."""

import threading

import pytest

from dlqconsole.running.worker import Lane
from tests.waiting import eventually

pytestmark = pytest.mark.django_db


class Doing:
    """Work that waits until it is let go."""

    def __init__(self) -> None:
        self.begun: list[object] = []
        self.go = threading.Event()

    def __call__(self, work) -> None:
        self.begun.append(work)
        self.go.wait(30)
        raise ValueError("each of it fails")


@pytest.mark.parametrize(("at_once", "begun"), [(1, 1), (2, 2)])
def test_the_same_work_runs_so_often_at_a_time(at_once, begun):
    do = Doing()
    lane = Lane("test", 3, at_once, do)
    for number in range(1, 4):
        lane.offer(("tick", ()))
        eventually(lambda number=number: len(do.begun) == min(number, begun), 10)
    do.go.set()
    lane.close()
    eventually(lambda: not lane.is_busy(), 10)
    assert len(do.begun) == begun


def test_after_an_error_it_takes_the_next(caplog):
    do = Doing()
    do.go.set()
    lane = Lane("test", 1, 1, do)
    for name in ("first", "second"):
        lane.offer((name, ()))
    lane.close()
    eventually(lambda: not lane.is_busy(), 10)
    assert [name for name, _ in do.begun] == ["first", "second"]
    assert "first failed: a later tick tries again" in caplog.text
