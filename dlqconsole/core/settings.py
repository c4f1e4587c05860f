"""The settings that the core reads: ``settings.DLQ_HANDLER_TIMEOUT``.

They are the environment's, unless the host has an object of its own: Django's settings, for one.
"""

from functools import lru_cache
from secrets import token_urlsafe
from typing import Any

from dlqconsole.processing.limits import Limits

_of = lru_cache(maxsize=8)(Limits)


class _Settings:
    """The values of the host's object, each read when it is needed."""

    _source: Any = None

    def __getattr__(self, name: str) -> Any:
        if self._source is None:
            self._source = _of_environment()
        return getattr(self._source, name)

    def read_from(self, source: Any) -> None:
        """Take every value from this object from now on."""
        self._source = source


settings = _Settings()


def _of_environment() -> Any:
    from dlqconsole.configuration.reading import read_settings

    # the core signs nothing, and is brought its connection
    return read_settings(SECRET_KEY=token_urlsafe(50), DATABASE_URL="postgresql://nobody@localhost/none")


def limits() -> Limits:
    """Return the limits of the settings."""
    return _of(settings.DLQ_MAX_PAYLOAD_BYTES)
