"""Between our tables and attached queues: forward, dead-letter what nobody completes, watch what left."""

from dlqconsole.transports.relay.rounds import run_once

__all__ = ["run_once"]
