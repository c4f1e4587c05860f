"""An application host whose clock is ten minutes off: by the database's clock nothing changes."""

import json
import time

import pytest

pytestmark = pytest.mark.faults

LETTERS = """
    INSERT INTO dlq_events (event_type, payload, error_reason, error_category, retry_after)
    SELECT 'chaos', jsonb_build_object('key', n) || more, 'Hiccup: once', 'TRANSIENT', clock_timestamp() + due
    FROM generate_series(1, 3) n, (VALUES ('{}'::jsonb, interval '-1 s'), ('{}', '5 min'),
        ('{"do": "say", "word": "nul"}', '-1 s')) v (more, due)
"""
LATER = """
    INSERT INTO message_queue (queue, payload, next_retry_at)
    VALUES ('chaos', '{}', clock_timestamp() + interval '5 min')
"""
HELD_BY_ANOTHER = """
    INSERT INTO shedlock SELECT 'held', n + interval '5 min', n, 'java-1'
    FROM timezone('utc', clock_timestamp()) n
"""
OUTCOMES = """
    SELECT status, retry_count, count(*), bool_and(retry_after < clock_timestamp() + interval '4 min')
    FROM dlq_events GROUP BY 1, 2 ORDER BY 1, 2
"""


@pytest.mark.parametrize("ahead", [600, -600])
def test_a_host_whose_clock_is_wrong_does_everything_at_the_right_time(world, ahead):
    world.sql.execute(LETTERS)
    world.sql.execute(HELD_BY_ANOTHER)
    world.send(1)
    world.sql.execute(LATER)
    said = _says(world, ahead)
    assert abs(said["time"] - time.time() - ahead) < 60, "its clock was right"
    assert said["keeps"]
    assert said["claims"] == 1
    assert (said["takes"], said["drift"]) == (False, 0)
    waits, failed, succeeded = world.sql.execute(OUTCOMES).fetchall()
    assert waits == ("PENDING", 0, 3, False)
    assert failed == ("PENDING", 1, 3, True)
    assert succeeded[:3] == ("SUCCEEDED", 0, 3)
    # why a fleet uses database time
    assert said["takes by client time"] is (ahead > 0)
    assert said["drift by client time"] == pytest.approx(max(ahead, 0), abs=10)


def _says(world, ahead: int) -> dict[str, object]:
    process = world.run("tests.faults.skewed", str(ahead))
    assert process.wait(60) == 0, world.said(process)
    return json.loads(world.said(process).splitlines()[-1])
