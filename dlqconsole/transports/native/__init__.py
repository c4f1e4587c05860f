"""Our own queues: the table ``message_queue``, open to plain SQL."""

from dlqconsole.transports.browser import Browser
from dlqconsole.transports.source import Source
from dlqconsole.transports.system import System


def _open() -> Source:
    from dlqconsole.transports.native.source import NativeSource

    return NativeSource()


def _browse() -> Browser:
    from dlqconsole.transports.native.browser import NativeBrowser

    return NativeBrowser()


SYSTEM = System("", "dlqconsole", _open, browser=_browse)
