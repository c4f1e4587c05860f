"""The keys that seal the audit log. None of them is ever sent to the database."""

import hashlib
import hmac
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings

_PURPOSE = b"dlqconsole audit seal"


@dataclass(frozen=True, slots=True)
class Key:
    """A key and its public name, by which a seal says which one made it."""

    secret: bytes
    name: str

    def sign(self, content: bytes) -> bytes:
        """Return 32 bytes that nobody else can make of this content."""
        return hmac.digest(self.secret, content, "sha256")


def sealing_key() -> Key:
    """Return the key that seals from now on."""
    return _keys()[0]


def key_named(name: str) -> Key | None:
    """Return one of our keys by its name; None for a key that was taken away, or never was ours."""
    return next((key for key in _keys() if key.name == name), None)


def _keys() -> list[Key]:
    """Return DLQ_AUDIT_KEY, the newest first; where it is not set, one made of SECRET_KEY."""
    return [_key(text) for text in settings.DLQ_AUDIT_KEY or [settings.SECRET_KEY]]


@lru_cache(maxsize=16)
def _key(text: str) -> Key:
    secret = hmac.digest(text.encode(), _PURPOSE, "sha256")
    return Key(secret, hashlib.sha256(_PURPOSE + secret).hexdigest()[:16])
