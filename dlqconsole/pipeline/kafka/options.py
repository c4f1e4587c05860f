"""The options of reading Kafka, named as those of Spark's own connector."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dlqconsole.pipeline.errors import BadRequest

from .client import check_client
from .positions import EARLIEST, LATEST, Positions, parse_positions
from .records import is_topic

CLIENT = "kafka."
OWN = ("subscribe", "startingOffsets", "endingOffsets", "maxOffsetsPerTrigger", "failOnDataLoss")
DEFAULT_MOST = 200_000
# they would be left out in silence
_NOT_HERE = {
    "assign": "subscribe, which takes names of topics",
    "subscribepattern": "subscribe, which takes names of topics",
    "includeheaders": "nothing: headers always come",
}


@dataclass(frozen=True, slots=True)
class KafkaOptions:
    """Topics, the client's properties, and which part of the topics. Travels to workers; shows no secret.

    ``most``: how many records one round reads, all partitions together. ``loss_fails``: records that are
    gone before they were read end the job; else they are counted and named.
    """

    topics: tuple[str, ...]
    client: Mapping[str, str] = field(repr=False)
    starting: Positions = EARLIEST
    ending: Positions = LATEST
    most: int = DEFAULT_MOST
    loss_fails: bool = True


def read_options(options: Mapping[str, str], starting: str = "earliest") -> KafkaOptions:
    """The options of a reader. ``starting``: where to begin unless they say it. Raises BadRequest."""
    names = {name.lower(): name for name in OWN}
    own = {names[name.lower()]: value for name, value in options.items() if name.lower() in names}
    client = {name[len(CLIENT) :]: value for name, value in options.items() if name.startswith(CLIENT)}
    _refuse_unknown(options, names)
    return KafkaOptions(
        topics=_topics(own.get("subscribe", "")),
        client=check_client(client),
        starting=parse_positions("startingOffsets", own.get("startingOffsets", starting)),
        ending=parse_positions("endingOffsets", own.get("endingOffsets", "latest")),
        most=_count(own.get("maxOffsetsPerTrigger", str(DEFAULT_MOST))),
        loss_fails=_switch(own.get("failOnDataLoss", "true")),
    )


def _refuse_unknown(options: Mapping[str, str], names: Mapping[str, str]) -> None:
    for name in options:
        if name.startswith(CLIENT) or name.lower() in names:
            continue
        instead = _NOT_HERE.get(name.lower())
        more = f": use {instead}" if instead else f"; there are {', '.join(OWN)} and kafka.<property>"
        raise BadRequest(f"there is no option {name!r} here{more}")


def _topics(text: str) -> tuple[str, ...]:
    topics = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not topics:
        raise BadRequest("subscribe is missing: name the topics to read, comma separated")
    for topic in topics:
        if not is_topic(topic):
            raise BadRequest(
                f"{topic[:80]!r} is not a topic's name: 1 to 249 letters, digits, '.', '_' and '-'"
            )
    return topics


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10**9:
        raise BadRequest(f"maxOffsetsPerTrigger is a whole number from 1 to 1,000,000,000, not {text[:40]!r}")
    return int(text)


def _switch(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise BadRequest(f"failOnDataLoss is true or false, not {text[:40]!r}")
    return text.lower() == "true"
