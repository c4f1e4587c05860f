"""A report that can be stopped in the middle."""

import os
import time
from pathlib import Path

from dlqconsole.processing import report


def _for_a_minute(batches):
    """A worker's part of the job: it says that it has begun."""
    Path(os.environ["SLOW_REPORT_BEGAN"]).touch()
    time.sleep(60)
    yield from batches


@report("slow", metrics={"n": "count"})
def slow(events):
    """After a job that is over: by then Java holds all its connections to us, and each ends with it."""
    session = events.sparkSession
    session.range(1).mapInArrow(lambda batches: batches, "id long").collect()
    rows = session.range(1).selectExpr("current_date() AS day", "id AS n")
    return rows.mapInArrow(_for_a_minute, rows.schema)
