"""Dead-letter queues of Amazon SQS: what comes to them is taken over, and revived to the queue of origin."""

from dlqconsole.transports.system import RelaySteps, System
from dlqconsole.transports.target import Target


def _open() -> Target:
    # a console without SQS needs no client of it
    from dlqconsole.transports.sqs.target import SqsTarget

    return SqsTarget()


def _relay_steps() -> RelaySteps:
    from dlqconsole.transports.sqs import relay

    return relay


SYSTEM = System("sqs", "Amazon SQS", _open, relay_steps=_relay_steps)
