"""Dead-letter queues of RabbitMQ: what comes to them is taken over, and revived to where it failed."""

from dlqconsole.transports.source import Source
from dlqconsole.transports.system import RelaySteps, System


def _open() -> Source:
    # a console without RabbitMQ needs no client of it
    from dlqconsole.transports.rabbitmq.source import from_settings

    return from_settings()


def _relay_steps() -> RelaySteps:
    from dlqconsole.transports.rabbitmq import relay

    return relay


SYSTEM = System("rabbitmq", "RabbitMQ", _open, relay_steps=_relay_steps)
