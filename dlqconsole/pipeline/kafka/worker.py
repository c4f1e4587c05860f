"""The work of a Spark worker on one range of a partition."""

from collections import Counter
from dataclasses import dataclass

from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.sink.batches import Tally
from dlqconsole.pipeline.sink.rows import store_rows
from dlqconsole.pipeline.sink.work import RunWork

from .destinations import Destinations
from .fetching import Fetching
from .items import item_of_record
from .ledger import keep_position
from .options import KafkaOptions
from .ranges import OffsetRange
from .reading import Reading
from .returning import only_new


@dataclass(frozen=True, slots=True)
class TopicWork:
    """The task of a worker that reads topics. ``cluster``: its name among other clusters."""

    work: RunWork
    options: KafkaOptions
    cluster: str
    to: Destinations


def ingest_range(task: TopicWork, part: OffsetRange) -> tuple[Tally, int]:
    """Read, handle and store the records of a range; how many of each type ended how, and how many were gone.

    Its position is kept when all of it is committed. Who dies before leaves it to the next to read again, and
    that finds unchanged what was committed.
    """
    work, tally = task.work, Counter[tuple[str, str]]()
    with Reading(task.options, part) as reading, Fetching(task.options) as fetching:
        items = (item_of_record(record, work.limits, task.to, fetching.fetch) for record in reading.records())
        with connect(work.database_url, f"ingest {work.run_id}") as connection:
            tally += store_rows(work, only_new(work, connection, items), lambda item: item)
        lost_records = reading.lost
    keep_position(work.database_url, task.cluster, (part.topic, part.partition), part.end)
    return tally, lost_records
