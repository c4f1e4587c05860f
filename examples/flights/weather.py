"""The weather as another system: a small HTTP service over the demo's observations, and its client.

Handlers ask the table beside them unless $FLIGHTS_WEATHER_URL says where the service is. It is there to be
stopped: an outage drill with events whose ends are known.
"""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, unquote

from dlqconsole.processing import DependencyError

from .places import weather_address

PATH = "/observations/"
SECONDS = 2.0


class WeatherAway(DependencyError):
    """The weather service does not answer."""

    dependency = "weather"


class Observations(Mapping[tuple[str, str], Any]):
    """Observations by airport and hour: of the service, where there is one, else of the table.

    Raises WeatherAway while the service does not answer.
    """

    def __init__(self, table: Mapping[Any, Any]) -> None:
        self._table = table

    def get(self, key: tuple[str, str], default: Any = None) -> Any:
        """The observation at that airport in that hour, or ``default``."""
        address = weather_address()
        row = _ask(address, key) if address else self._table.get(key)
        return default if row is None else row

    def __getitem__(self, key: tuple[str, str]) -> Any:
        row = self.get(key)
        if row is None:
            raise KeyError(key)
        return row

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)


def serve(table: Mapping[Any, Any], port: int) -> ThreadingHTTPServer:
    """The service on this machine's loopback; port 0: any that is free. ``serve_forever`` runs it."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            origin, _slash, hour = unquote(self.path.removeprefix(PATH)).partition("/")
            row = table.get((origin, hour))
            body = json.dumps(row).encode()
            self.send_response(404 if row is None else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            """Say nothing: a day has a thousand flights."""

    return ThreadingHTTPServer(("127.0.0.1", port), Answer)


def _ask(address: str, key: tuple[str, str]) -> Any:
    """Ask the service; return None where it has no such observation."""
    url = f"{address}{PATH}{quote('/'.join(key), safe='/')}"
    try:
        with urllib.request.urlopen(url, timeout=SECONDS) as answer:  # noqa: S310 - the address is the operator's
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        if refusal.code == 404:
            return None
        raise WeatherAway(f"the weather service answered {refusal.code}") from refusal
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise WeatherAway(f"the weather service does not answer: {reason}") from error
