"""The plan of the next round: the offsets of each partition that are read, and those that are gone."""

from .cluster import Cluster, Place
from .ledger import forget_position, positions
from .options import KafkaOptions
from .ranges import OffsetRange, at_most
from .reading import DataLoss, lost_sentence


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
        read_to = positions(self._database_url, self._name, places) | self._read
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
        forget_position(self._database_url, self._name, place, high)
        self._read.pop(place, None)
        return OffsetRange(topic, partition, low, high)

    def _lose(self, sentence: str) -> None:
        if self._options.loss_fails:
            raise DataLoss(sentence)
        self.lost.append(sentence.partition(". failOnDataLoss")[0])
