"""Names that the database can hold as keys, whatever was given."""

from hashlib import sha256

from dlqconsole.processing.events import ATTRIBUTE_BYTES, ATTRIBUTE_LIMIT
from dlqconsole.processing.texts import sanitise_text

TYPE_LIMIT = 255
_TAIL = 64


def storable_name(text: str) -> str:
    """The text itself, or the beginning of its hash and its end where no key can hold it."""
    if text.isprintable() and len(text) <= ATTRIBUTE_BYTES // 4:
        return text
    clean = sanitise_text(text)
    if text == clean and len(text) <= ATTRIBUTE_LIMIT and len(text.encode()) <= ATTRIBUTE_BYTES:
        return text
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{digest}…{clean[-_TAIL:]}"


def storable_type(text: str) -> str:
    """An event type as the tables can hold it."""
    return sanitise_text(text)[:TYPE_LIMIT]
