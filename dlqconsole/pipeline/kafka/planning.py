"""The plan of the next round: the offsets of each partition that are read, and those that are gone.

The read position of each partition stands in the database. Losing it costs time only: what is in the tables
is recognised.
"""

from dlqconsole.pipeline.database import session
from dlqconsole.pipeline.sql import sql

from .client import Cluster, Place
from .options import KafkaOptions
from .reading import DataLoss, OffsetRange, at_most, lost_sentence


class Planning:
    """Plans the rounds of a run. With ``once`` the ends are those of the first round.

    ``lost``: a sentence for each partition of which records were gone before they were read.
    """

    def __init__(self, cluster: Cluster, options: KafkaOptions, database_url: str, *, once: bool) -> None:
        self._cluster, self._options, self._database_url, self._once = cluster, options, database_url, once
        self._name = cluster.name
        self._ends: dict[Place, int] = {}
        self._read: dict[Place, int] = {}
        self.lost: list[str] = []

    def next_round(self) -> list[OffsetRange]:
        """The ranges to read now; none when all is read. Raises DataLoss, KafkaAway, BadRequest."""
        places = self._cluster.places(self._options.topics)
        read_to = _positions(self._database_url, self._name, places) | self._read
        ranges = [self._range(place, read_to.get(place)) for place in places]
        return at_most([each for each in ranges if each.size > 0], self._options.most)

    def done(self, ranges: list[OffsetRange]) -> None:
        """Remember that a round is read, also where the ledger cannot."""
        self._read |= {(each.topic, each.partition): each.end for each in ranges}

    def _range(self, place: Place, position: int | None) -> OffsetRange:
        low, high = self._cluster.bounds(*place)
        end = self._end(place, low, high)
        start = self._options.starting.of(*place, low, high) if position is None else position
        if start > high:
            return self._anew(place, start, low, high)
        if start < low:
            where = f"{place[0]} partition {place[1]}"
            self._lose(lost_sentence(where, start, low))
            self._read[place] = low
            return OffsetRange(*place, low, max(low, end), low - start)
        return OffsetRange(*place, start, max(start, end))

    def _end(self, place: Place, low: int, high: int) -> int:
        if not self._once:
            return high
        return self._ends.setdefault(place, min(self._options.ending.of(*place, low, high), high))

    def _anew(self, place: Place, start: int, low: int, high: int) -> OffsetRange:
        """Offsets do not go back: the topic was deleted and made again, or its end was lost."""
        topic, partition = place
        self._lose(
            f"{topic} partition {partition} ends at {high:,}, and was read up to {start:,}: it was made anew,"
            " or lost its end. failOnDataLoss=false reads it from its first offset"
        )
        values = {"log": log_name(self._name, topic), "part": partition, "end": high}
        _execute(self._database_url, "kafka.forget_position", values)
        self._read.pop(place, None)
        return OffsetRange(topic, partition, low, high)

    def _lose(self, sentence: str) -> None:
        if self._options.loss_fails:
            raise DataLoss(sentence)
        self.lost.append(sentence.partition(". failOnDataLoss")[0])


def keep_position(database_url: str, cluster: str, place: Place, position: int) -> None:
    """Note that a partition is read up to, not with, ``position``.

    Two jobs on one topic: the one that is behind takes nothing back.
    """
    values = {"log": log_name(cluster, place[0]), "part": place[1], "position": position}
    _execute(database_url, "kafka.keep_position", values)


def log_name(cluster: str, topic: str) -> str:
    """A topic of one cluster, as the table of positions knows it."""
    return f"kafka:{cluster}/{topic}"[:400]


def _positions(database_url: str, cluster: str, places: list[Place]) -> dict[Place, int]:
    """The next offset of each partition that was read before."""
    logs = {log_name(cluster, topic): topic for topic, _partition in places}
    with session(database_url, "kafka positions") as connection:
        rows = connection.execute(sql("kafka.positions"), {"logs": list(logs)}).fetchall()
    return {(logs[log], part): position for log, part, position in rows}


def _execute(database_url: str, query: str, values: dict[str, object]) -> None:
    with session(database_url, "kafka positions") as connection:
        connection.execute(sql(query), values)
