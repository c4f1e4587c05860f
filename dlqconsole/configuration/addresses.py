"""The addresses of other systems: MySQL, RabbitMQ, mail, Celery's brokers, and the file of a Kafka client.

Each reader raises ValueError with a sentence, which never holds a password.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from .checks import is_local, is_mail_address

_MYSQL = "mysql://user:password@host:3306/database"
_RABBITMQ = "amqp://user:password@host:5672/vhost"
_MAIL = "smtp+tls://user:password@host:587?from=dlq@example.org"
_BROKERS = "shop=redis://:password@host:6379/0 crm=amqp://user:password@host/vhost"
_PROPERTY = "security.protocol=SASL_SSL"


@dataclass(frozen=True, slots=True)
class MysqlAddress:
    """Server, account and database.

    ``tls``: the line must be encrypted and the server's certificate is verified. Without it the line is
    encrypted where the server can, and nothing is verified.
    """

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    database: str
    tls: bool = False

    @classmethod
    def from_url(cls, url: str) -> Self:
        """Read an address."""
        parts, port = _split(url, _MYSQL, {"mysql": 3306})
        database = unquote(parts.path.removeprefix("/"))
        if parts.scheme != "mysql" or not parts.hostname or not parts.username or not database:
            raise ValueError(f"It must look like {_MYSQL}.")
        if "/" in database or parts.fragment:
            raise ValueError(
                f"It must end with the database's name, as in {_MYSQL}; encode / and # in names."
            )
        user, password = unquote(parts.username), unquote(parts.password or "")
        return cls(parts.hostname, port, user, password, database, _tls(parts.query))

    def __str__(self) -> str:
        return f"MySQL at {self.host}:{self.port}"


def _tls(query: str) -> bool:
    options = dict(parse_qsl(query, keep_blank_values=True))
    tls = options.pop("tls", "false")
    if options or tls not in ("true", "false"):
        raise ValueError("Its only option is ?tls=true or ?tls=false.")
    return tls == "true"


@dataclass(frozen=True, slots=True)
class RabbitmqAddress:
    """Server, account and virtual host. ``tls``: encrypted, and the server's certificate is verified."""

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    vhost: str
    tls: bool = False

    @classmethod
    def from_url(cls, url: str) -> Self:
        """Read an address."""
        parts, port = _split(url, _RABBITMQ, {"amqp": 5672, "amqps": 5671})
        vhost = parts.path.removeprefix("/")
        if not port or not parts.hostname or not parts.username:
            raise ValueError(f"It must look like {_RABBITMQ}, or begin with amqps://.")
        if "/" in vhost or parts.fragment or parts.query:
            raise ValueError(
                f"It must end with the virtual host's name, as in {_RABBITMQ}; encode / and ? and # in names."
            )
        user, password = unquote(parts.username), unquote(parts.password or "")
        return cls(parts.hostname, port, user, password, unquote(vhost) or "/", parts.scheme == "amqps")

    def __str__(self) -> str:
        return f"RabbitMQ at {self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class MailServer:
    """Server, account and sender. ``scheme``: ``smtps`` is encrypted at once, ``smtp+tls`` by STARTTLS.

    Of both the server's certificate is verified.
    """

    scheme: str
    host: str
    port: int
    user: str
    password: str = field(repr=False)
    sender: str

    @classmethod
    def from_url(cls, url: str) -> Self:
        """Read an address."""
        parts, port = _split(url, _MAIL, {"smtp": 25, "smtp+tls": 587, "smtps": 465})
        if not port or not parts.hostname or parts.path not in ("", "/") or parts.fragment:
            raise ValueError(f"It must look like {_MAIL}, or begin with smtps:// or smtp://.")
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        sender = options.pop("from", "dlqconsole@localhost")
        if options or not is_mail_address(sender):
            raise ValueError("Its only option is the sender: ?from=dlq@example.org.")
        if parts.password and parts.scheme == "smtp" and not is_local(parts.hostname):
            raise ValueError("A password needs an encrypted line: begin with smtp+tls:// or smtps://.")
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        return cls(parts.scheme, parts.hostname, port, user, password, sender)


def _split(url: str, example: str, ports: Mapping[str, int]) -> tuple[SplitResult, int]:
    """The parts of a URL, and its port; 0 for a scheme that has none here."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        # urllib quotes what it could not read, and that may be half of a password
        is_port = "ort" in str(error)
        why = "its port is not a number from 0 to 65535" if is_port else "it cannot be read"
        raise ValueError(f"It is not a URL like {example}: {why}.") from None
    usual = ports.get(parts.scheme, 0)
    return parts, usual and (port or usual)


def read_brokers(text: str) -> dict[str, str]:
    """Read the brokers of Celery applications: ``name=url`` pairs, with spaces between."""
    brokers: dict[str, str] = {}
    for number, pair in enumerate(text.split(), 1):
        name, equals, url = pair.partition("=")
        if not equals or not re.fullmatch(r"[\w.-]{1,100}", name) or not re.match(r"[a-z][a-z0-9+]*://", url):
            raise ValueError(f"Part {number} must look like name=url, as in {_BROKERS}.")
        if name in brokers:
            raise ValueError(f"It names {name} twice.")
        brokers[name] = url
    return brokers


def read_properties(path: str) -> dict[str, str]:
    """Read a Kafka client's properties as Kafka's own tools do: ``name=value``, a line each. Empty: none."""
    if not path:
        return {}
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"The file cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ValueError("The file is not text in UTF-8.") from None
    return dict(_property(*line) for line in enumerate(text.splitlines(), start=1) if _says(line[1]))


def _says(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(("#", "!"))


def _property(number: int, line: str) -> tuple[str, str]:
    name, equals, value = line.partition("=")
    if not equals or not name.strip():
        raise ValueError(f"Its line {number} is not a property like {_PROPERTY}.")
    return name.strip(), value.strip()
