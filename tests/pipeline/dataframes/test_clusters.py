"""All calls in sessions of the users' own: plain local, a cluster in one process, a real one under kills.

Each costs a JVM or three: in the usual run the shared session stands for all of them.
"""

import json
import os
import signal
import sys
import time

import pytest

from tests.pipeline.conftest import HANDLERS, database_url_as_url
from tests.pipeline.dataframes.standalone import job, standalone
from tests.sizes import SOAK, sized

pytestmark = [pytest.mark.spark, pytest.mark.sized, pytest.mark.django_db(transaction=True)]

EVENTS = sized(2_000, 20_000)
BOTH = "SELECT source_key FROM enriched_events UNION ALL SELECT source_key FROM dlq_events"


@pytest.fixture
def settings_of_job(database_url):
    return {"DATABASE_URL": database_url_as_url(database_url), "DLQ_HANDLERS": HANDLERS}


def exact(rows, events: int) -> bool:
    keys = [row["source_key"] for row in rows(BOTH)]
    return len(keys) == len(set(keys)) == events


def an_executor_at_work(cluster, process, rows) -> int:
    deadline = time.monotonic() + 400
    while time.monotonic() < deadline and process.poll() is None:
        if rows("SELECT id FROM enriched_events LIMIT 1") and (found := cluster.executors()):
            return found[0]
        time.sleep(0.1)
    process.terminate()
    said, errors = process.communicate(timeout=60)
    raise AssertionError(f"no executor has stored anything: {said}{errors[-3_000:]}")


def ended(process, seconds: int = 400) -> dict:
    said, errors = process.communicate(timeout=seconds)
    assert process.returncode == 0, said + errors[-3_000:]
    return json.loads(said.splitlines()[-1])


def on_a_plain_local_master_a_poison_ends_nothing(settings_of_job, rows):
    """It tries no task a second time: so no handler may harm a worker."""
    counts = ended(job("local[2]", 40, 4, poison=7, **settings_of_job))
    assert counts == {"events": 40, "enriched": 31, "dead": 9}
    dead = rows("SELECT error_class, status FROM dlq_events WHERE source_key = '7'")
    assert dead == [{"error_class": "HandlerDied", "status": "QUARANTINED"}]


def workers_of_another_python_are_one_sentence(settings_of_job, rows):
    """The Python from which our environment was made, with none of its packages."""
    process = job("local[2]", 4, 1, **settings_of_job, PYSPARK_PYTHON=sys._base_executable)
    said, _ = process.communicate(timeout=400)
    assert process.returncode == 2
    assert "the Python of Spark's workers has no module" in said
    assert "set PYSPARK_PYTHON, before the session is made, to a Python that has all that" in said
    assert rows(BOTH) == []


def on_a_cluster_in_one_process_each_event_is_once(settings_of_job, rows):
    counts = ended(job("local-cluster[2,1,1024]", EVENTS, poison=EVENTS // 2 + 1, **settings_of_job))
    assert counts["events"] == EVENTS
    assert exact(rows, EVENTS)
    assert rows("SELECT done, status FROM pipeline_runs") == [{"done": EVENTS, "status": "completed"}]


def on_a_real_cluster_an_executor_can_be_killed(settings_of_job, rows, tmp_path):
    with standalone(tmp_path) as cluster:
        process = job(cluster.url, EVENTS, 16, **settings_of_job)
        os.kill(an_executor_at_work(cluster, process, rows), signal.SIGKILL)
        assert ended(process)["events"] == EVENTS
        assert exact(rows, EVENTS)
        needy = {"DLQ_LOOKUPS_DIR": str(tmp_path), "DLQ_HANDLERS": "tests.pipeline.dataframes.needy_handlers"}
        process = job(cluster.url, EVENTS, **settings_of_job | needy)
        said, _ = process.communicate(timeout=400)
        assert process.returncode == 2
        assert "the worker on " in said
        assert "BILLING_URL, which a handler needs, is not set" in said
        assert exact(rows, EVENTS)


if SOAK:
    test_on_a_plain_local_master_a_poison_ends_nothing = on_a_plain_local_master_a_poison_ends_nothing
    test_workers_of_another_python_are_one_sentence = workers_of_another_python_are_one_sentence
    test_on_a_cluster_in_one_process_each_event_is_once = on_a_cluster_in_one_process_each_event_is_once
    test_on_a_real_cluster_an_executor_can_be_killed = on_a_real_cluster_an_executor_can_be_killed
