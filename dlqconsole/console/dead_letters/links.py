"""Links out of a dead letter: to its trace, and to the line of your code that failed.

They are made of masked texts, by the templates of ``DLQ_TRACE_URL`` and ``DLQ_SOURCE_URL``.
"""

import re
from urllib.parse import quote

from django.conf import settings

from dlqconsole.engine.gate import Shown

_TRACE_ID = re.compile(r'"traceparent": "[0-9a-f]{2}-([0-9a-f]{32})-', re.IGNORECASE)
_PYTHON = re.compile(r'^\s*File "([^"\n]+)", line (\d+)', re.MULTILINE)
# Node: at call (/app/src/orders.js:88:5)
_PLACE = re.compile(r"^\s*at .*?\(?([^\s():]+):(\d+):\d+\)?$", re.MULTILINE)
# Java: at com.acme.Orders.check(Orders.java:88)
_JAVA = re.compile(r"^\s*at ([\w.$]+)\.[\w$]+\.[\w$<>]+\(([\w$]+\.\w+):(\d+)\)", re.MULTILINE)


def trace_link(headers: str) -> str:
    """The address of its trace, by the id in its ``traceparent``; empty without one."""
    match = _TRACE_ID.search(headers)
    if not (settings.DLQ_TRACE_URL and match):
        return ""
    return Shown(settings.DLQ_TRACE_URL.replace("{trace_id}", match[1].lower()))


def source_link(trace: str) -> str:
    """The address of the innermost line of a trace that lies under the root of ``DLQ_SOURCE_URL``."""
    root, _, address = settings.DLQ_SOURCE_URL.partition("=")
    for path, line in _frames(trace):
        if address and path.startswith(root):
            place = quote(path.removeprefix(root).lstrip("/"))
            return Shown(address.replace("{path}", place).replace("{line}", line))
    return ""


def _frames(trace: str) -> list[tuple[str, str]]:
    """The files and lines of a trace, the innermost first: Python writes it last."""
    python = [(path, line) for path, line in _PYTHON.findall(trace)][::-1]
    java = [(f"{package.replace('.', '/')}/{name}", line) for package, name, line in _JAVA.findall(trace)]
    return python or java or _PLACE.findall(trace)
