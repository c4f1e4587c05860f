"""Where reports go: a console by HTTP, or its database. Which of them, a DSN says."""

from __future__ import annotations

import hashlib
from typing import Protocol
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from .reports import Report


class Away(Exception):
    """Nothing can be stored now; the reports stay in the spool. Says why, and for how long."""

    def __init__(self, why: str, seconds: float | None = None) -> None:
        super().__init__(why)
        self.seconds = seconds


class Destination(Protocol):
    """Stores reports. One thread uses it."""

    def send(self, reports: list[Report]) -> list[str]:
        """Store each once, however often it comes. Return why some were refused, or raise Away."""

    def close(self) -> None:
        """Let go of the connection; the next `send` makes a new one."""

    def abandon(self) -> None:
        """In the child of a fork: leave the parent's connection alone."""


def destination(dsn: str, token: str | None) -> Destination:
    """Return what the DSN names, or raise ValueError with a sentence."""
    parts = urlsplit(dsn)
    if is_database(dsn):
        from .postgresql import Database

        return Database(dsn)
    if parts.scheme in ("https", "http") and parts.hostname:
        from .console import Console

        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        place = f"{host}:{parts.port}" if parts.port else host
        token = token or unquote(parts.username or "")
        if not token:
            raise ValueError("dlq.init needs a token: https://TOKEN@console.example.org/, or token=…")
        return Console(urlunsplit((parts.scheme, place, parts.path, "", "")), token)
    raise ValueError(
        "dlq.init takes postgresql://user@host/database or https://TOKEN@console.example.org/, "
        f"and not {parts.scheme or 'a text without a scheme'!r}"
    )


def is_database(dsn: str) -> bool:
    """Tell whether it is the console's database, and not its API."""
    return urlsplit(dsn).scheme in ("postgresql", "postgres")


def name_of(dsn: str) -> str:
    """Return a name for the spool's folder: the same when a password or token changes."""
    parts = urlsplit(dsn)
    options = [option for option in parse_qsl(parts.query) if option[0] not in ("user", "password")]
    place = parts._replace(netloc=parts.netloc.rpartition("@")[2], query=urlencode(options))
    digest = hashlib.sha256(urlunsplit(place).rstrip("/").encode()).hexdigest()[:8]
    return f"{parts.hostname or 'local'}-{digest}".replace(":", "_").replace("/", "_")
