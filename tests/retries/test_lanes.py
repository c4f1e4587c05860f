"""Lanes in one worker: a free handler goes to who has least of its share; few are claimed ahead."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

from dlqconsole.core.dead_letters.claims import Claim
from dlqconsole.retries import policies
from dlqconsole.retries.lanes import WorkerLanes
from dlqconsole.retries.policies import Policies
from dlqconsole.retries.worker_lane import WorkerLane

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def claim(number, event_type, crashes=0):
    return Claim(
        number, event_type, "{}", None, {}, "s", str(number), 0, None, crashes, NOW, uuid4(), "PENDING", None
    )


def lane(event_type, **policy) -> policies.RetryPartition:
    [found, *_] = Policies([], NOW).lanes([event_type])
    return replace(found, policy=replace(found.policy, **policy))


def worker_lanes(handlers, *lanes) -> dict[str, WorkerLane]:
    found = WorkerLanes(handlers)
    found.follow(lanes, 1)
    for number, line in enumerate(found):
        line.add_claims([claim(1000 * number + at, line.lane.event_type) for at in range(500)], 500)
    return found


def begun(found, number, seconds, running=0):
    """Who begins ``number`` times, where of each lane a handler takes so long, one after the other."""
    order = Counter()
    for _ in range(number):
        [(line, one)] = found.next(1, 0)
        order[one.event_type] += 1
        line.note_end(seconds[one.event_type])
    return order


def test_with_one_handler_two_lanes_have_the_same_time_each():
    found = worker_lanes(1, lane("slow"), lane("quick"))
    order = begun(found, 110, {"slow": 1.0, "quick": 0.1})
    assert order["slow"] in (10, 11)


def test_handlers_are_divided_and_one_lane_alone_has_all():
    found = worker_lanes(4, lane("slow"), lane("quick"))
    assert Counter(one.event_type for _line, one in found.next(4, 0)) == {"slow": 2, "quick": 2}
    alone = worker_lanes(4, lane("slow"))
    assert len(alone.next(4, 0)) == 4


def test_who_comes_late_does_not_get_all_that_others_had_meanwhile():
    found = worker_lanes(2, lane("early"), lane("late"))
    early, late = found
    waiting = late.put_down()
    begun(found, 100, {"early": 1.0})
    [_one] = found.next(1, 0)  # it has something that runs
    late.add_claims(waiting, len(waiting))
    order = begun(found, 20, {"early": 1.0, "late": 1.0})
    assert early.running == 1
    assert order["late"] == 20, "who has nothing that runs comes first"
    assert late.used >= 99


def test_few_are_claimed_ahead_and_as_many_as_can_begin_in_a_second(settings):
    settings.DLQ_RETRY_BATCH_SIZE = 50
    line = WorkerLane(lane("a"))
    assert line.room(4) == 8  # of a handler that nobody has seen
    for seconds, most in ((0.001, 50), (30.0, 4)):
        line.mean = seconds
        assert line.room(4) == most


def test_one_suspect_runs_at_a_time_and_the_others_go_on():
    found = WorkerLanes(4)
    found.follow([lane("a")], 1)
    [line] = found
    line.add_claims([claim(1, "a", crashes=1), claim(2, "a", crashes=2), claim(3, "a"), claim(4, "a")], 4)
    assert [one.id for _line, one in found.next(4, 0)] == [1, 3, 4]
    assert found.next(1, 1) == []
    assert [one.id for _line, one in found.next(1, 0)] == [2]


def test_what_may_not_run_any_more_is_put_down():
    found = worker_lanes(2, lane("a"), lane("b"))
    left = found.follow([lane("b")], 1)
    assert {one.event_type for one in left} == {"a"}
    assert [line.lane.event_type for line in found] == ["b"]
