"""Whether a text is the URL of a PostgreSQL database. What is in it, the drivers read for themselves."""

from urllib.parse import urlsplit

EXAMPLE = "postgres://user@host/database"
SCHEMES = ("postgres", "postgresql", "pgsql")


def check_database_url(url: str) -> None:
    """Raise ValueError with a sentence, which never holds the password, when it is not one."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError:
        # urllib quotes what it could not read, and that may be half of a password
        raise ValueError(
            f"It is not a URL like {EXAMPLE}; encode / and # and [ in names and passwords."
        ) from None
    if parts.scheme not in SCHEMES:
        raise ValueError(f"It must name a PostgreSQL database, like {EXAMPLE}.")
