"""Whether a text names the brokers of a Kafka: ``host:port``, with commas between them."""

import re

from .shortened import shortened

EXAMPLE = "broker-1:9092,broker-2:9092"
_BROKER = re.compile(r"([A-Za-z][A-Za-z0-9_]*://)?([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")


def check_kafka_servers(text: str) -> None:
    """Raise ValueError with a sentence that names the first that is none."""
    for broker in text.split(","):
        if not _BROKER.fullmatch(broker.strip()):
            raise ValueError(f"{shortened(broker.strip())} is no broker; it must be like {EXAMPLE}.")
