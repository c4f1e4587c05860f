"""Whether a text is the URL of a Redis or Valkey server. What is in it, the client reads for itself."""

from urllib.parse import urlsplit

EXAMPLE = "redis://:password@host:6379/0"
SCHEMES = ("redis", "rediss")


def check_redis_url(url: str) -> None:
    """Raise ValueError with a sentence, which never holds the password, when it is not one."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError:
        # urllib quotes what it could not read, and that may be half of a password
        raise ValueError(f"It is not a URL like {EXAMPLE}.") from None
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise ValueError(f"It must name a Redis or Valkey server, like {EXAMPLE}; rediss:// for TLS.")
