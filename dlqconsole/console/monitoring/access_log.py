"""Gunicorn's log of requests, without the text of searches.

A search for a person's number is redirected to its hash; the typed address must not stay in a log that more
people read than the console.
"""

from datetime import timedelta
from typing import Any

from gunicorn.glogging import Logger


class AccessLog(Logger):  # type: ignore[misc]  # it has no types
    """``gunicorn --logger-class dlqconsole.console.monitoring.access_log.AccessLog``."""

    def atoms(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> dict[str, Any]:
        """The parts of a line. The path is the raw one, so that no %0A in it begins a new line."""
        atoms: dict[str, Any] = super().atoms(resp, req, environ, request_time)
        path = str(environ.get("RAW_URI", "")).partition("?")[0]
        request = f"{environ.get('REQUEST_METHOD')} {path} {environ.get('SERVER_PROTOCOL')}"
        return atoms | {"r": request, "U": path, "q": "", "f": "-", "{raw_uri}e": path}
