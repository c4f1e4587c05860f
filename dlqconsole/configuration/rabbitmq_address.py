"""The address of a RabbitMQ server, read from one URL."""

from dataclasses import dataclass, field
from typing import Self
from urllib.parse import unquote, urlsplit

EXAMPLE = "amqp://user:password@host:5672/vhost"
_PORTS = {"amqp": 5672, "amqps": 5671}


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
        """Read an address. Raises ValueError with a sentence, which never holds the password."""
        try:
            parts = urlsplit(url)
            port = parts.port or _PORTS.get(parts.scheme, 0)
        except ValueError:  # urllib quotes what it could not read, and that may be half of a password
            raise ValueError(f"It is not a URL like {EXAMPLE}.") from None
        vhost = parts.path.removeprefix("/")
        if parts.scheme not in _PORTS or not parts.hostname or not parts.username:
            raise ValueError(f"It must look like {EXAMPLE}, or begin with amqps://.")
        if "/" in vhost or parts.fragment or parts.query:
            raise ValueError(
                f"It must end with the virtual host's name, as in {EXAMPLE}; encode / and ? and # in names."
            )
        user, password = unquote(parts.username), unquote(parts.password or "")
        return cls(parts.hostname, port, user, password, unquote(vhost) or "/", parts.scheme == "amqps")

    def __str__(self) -> str:
        return f"RabbitMQ at {self.host}:{self.port}"
