"""The address of a MySQL server, read from one URL."""

from dataclasses import dataclass, field
from typing import Self
from urllib.parse import parse_qsl, unquote, urlsplit

EXAMPLE = "mysql://user:password@host:3306/database"


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
        """Read an address. Raises ValueError with a sentence, which never holds the password."""
        try:
            parts = urlsplit(url)
            port = parts.port or 3306
        except ValueError as error:
            raise ValueError(f"It is not a URL like {EXAMPLE}: {_without_value(error)}.") from None
        database = unquote(parts.path.removeprefix("/"))
        if parts.scheme != "mysql" or not parts.hostname or not parts.username or not database:
            raise ValueError(f"It must look like {EXAMPLE}.")
        if "/" in database or parts.fragment:
            raise ValueError(
                f"It must end with the database's name, as in {EXAMPLE}; encode / and # in names."
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


def _without_value(error: ValueError) -> str:
    # urllib quotes what it could not read, and that may be half of a password
    return "its port is not a number from 0 to 65535" if "ort" in str(error) else "it cannot be read"
