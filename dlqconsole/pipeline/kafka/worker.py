"""What a Spark worker does with one range of a partition."""

from collections import Counter
from dataclasses import dataclass

from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.sink.batches import Tally
from dlqconsole.pipeline.sink.rows import store_rows
from dlqconsole.pipeline.sink.work import Work

from .destinations import Destinations
from .fetching import Fetching
from .items import item_of_record
from .ledger import keep_position
from .options import KafkaOptions
from .ranges import Range
from .reading import Reading
from .returning import only_new


@dataclass(frozen=True, slots=True)
class TopicWork:
    """What a worker needs to know to read topics. ``cluster``: what tells it from other clusters."""

    work: Work
    options: KafkaOptions
    cluster: str
    to: Destinations


def ingest_range(given: TopicWork, wanted: Range) -> tuple[Tally, int]:
    """Read, handle and store the records of a range; how many of each type ended how, and how many were gone.

    Its position is kept when all of it is committed. Who dies before leaves it to the next to read again, and
    that finds unchanged what was committed.
    """
    work, tally = given.work, Counter[tuple[str, str]]()
    with Reading(given.options, wanted) as reading, Fetching(given.options) as fetching:
        items = (
            item_of_record(record, work.limits, given.to, fetching.fetch) for record in reading.records()
        )
        with connect(work.database_url, f"ingest {work.run_id}") as connection:
            tally += store_rows(work, only_new(work, connection, items), lambda item: item)
        lost = reading.lost
    keep_position(work.database_url, given.cluster, (wanted.topic, wanted.partition), wanted.end)
    return tally, lost
