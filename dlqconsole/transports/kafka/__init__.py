"""Topics of Kafka: revived messages are published there. Their records come here by the pipeline."""

from dlqconsole.transports.system import System
from dlqconsole.transports.target import Target


def _open() -> Target:
    # a console without Kafka needs no client of it
    from dlqconsole.transports.kafka.target import from_settings

    return from_settings()


SYSTEM = System("kafka", "Kafka", _open)
