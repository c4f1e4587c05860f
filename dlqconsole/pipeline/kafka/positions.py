"""The beginning and the end of reading in a partition, as people write them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from dlqconsole.pipeline.errors import BadRequest

# as in Spark's JSON: instead of an offset
AT_LATEST, AT_EARLIEST = -1, -2


@dataclass(frozen=True, slots=True)
class Positions:
    """An end of each partition, or offsets that were named. What is not named is at ``usual``."""

    usual: int
    offsets: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    def of(self, topic: str, partition: int, low: int, high: int) -> int:
        """The offset meant in a partition that has records from ``low`` up to, not with, ``high``."""
        offset = self.offsets.get(topic, {}).get(partition, self.usual)
        return {AT_LATEST: high, AT_EARLIEST: low}.get(offset, offset)


EARLIEST, LATEST = Positions(AT_EARLIEST), Positions(AT_LATEST)


def parse_positions(option: str, text: str) -> Positions:
    """Read earliest, latest or {"orders": {"0": 23, "1": -1}}. Raises BadRequest."""
    usual = LATEST if option == "endingOffsets" else EARLIEST
    words = {"latest": LATEST} | ({} if option == "endingOffsets" else {"earliest": EARLIEST})
    if text in words:
        return words[text]
    try:
        return Positions(usual.usual, {str(topic): _offsets(of) for topic, of in json.loads(text).items()})
    except (ValueError, AttributeError, TypeError):
        example = '{"orders": {"0": 23, "1": -1}}'
        raise BadRequest(f"{option} is {' or '.join(words)} or offsets like {example}") from None


def _offsets(numbers: Mapping[str, int]) -> dict[int, int]:
    offsets = {int(partition): offset for partition, offset in numbers.items()}
    if not all(type(offset) is int and offset >= AT_EARLIEST for offset in offsets.values()):
        raise ValueError
    return offsets
