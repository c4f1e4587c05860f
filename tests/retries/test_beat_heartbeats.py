"""Two beats are harmless, and told; one that was started anew is one."""

import pytest

from dlqconsole.retries import beat_heartbeats
from tests.plain_sql import execute
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)


def beat(name, started, seen):
    execute(
        "INSERT INTO retry_tickers (name, started_at, seen_at)"
        " VALUES (%s, now() - make_interval(secs => %s), now() - make_interval(secs => %s))",
        name, started, seen,
    )  # fmt: skip


def test_two_that_have_run_together_for_a_while_are_told():
    beat("one", 600, 2)
    assert beat_heartbeats.too_many() == ""
    beat("two", 60, 3)
    assert beat_heartbeats.too_many().startswith("2 schedulers alive")
    assert [found.name for found in beat_heartbeats.alive()] == ["one", "two"]


def test_one_that_was_started_anew_is_no_second_one():
    beat("killed", 600, 9)
    beat("its successor", 8, 1)
    assert len(beat_heartbeats.alive()) == 2
    assert beat_heartbeats.too_many() == ""


def test_a_tick_is_no_beat_and_is_remembered():
    assert beat_heartbeats.last_tick() is None
    beat_heartbeats.note_tick()
    assert beat_heartbeats.alive() == []
    assert beat_heartbeats.last_tick()[1] < 5


def test_a_beat_says_that_it_runs_and_that_it_stops(monkeypatch):
    monkeypatch.setattr(beat_heartbeats, "SAY_EVERY_SECONDS", 0.05)
    presence = beat_heartbeats.BeatPresence()
    presence.start()
    eventually(lambda: len(beat_heartbeats.alive()) == 1)
    presence._ended.set()
    presence.join()
    assert beat_heartbeats.alive() == []
