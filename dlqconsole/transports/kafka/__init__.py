"""Topics of Kafka: revived messages are published there. Their records come here by the pipeline."""

from dlqconsole.transports.source import Source
from dlqconsole.transports.system import System


def _open() -> Source:
    # a console without Kafka needs no client of it
    from dlqconsole.transports.kafka.source import from_settings

    return from_settings()


SYSTEM = System("kafka", "Kafka", _open)
