"""Our own queues: the table ``message_queue``, open to plain SQL."""

from dlqconsole.transports.source import Source
from dlqconsole.transports.system import System


def _open() -> Source:
    from dlqconsole.transports.native.source import NativeSource

    return NativeSource()


SYSTEM = System("", "dlqconsole", _open)
