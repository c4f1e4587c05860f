"""Limits of one event: what we agree to read and to keep."""

from dataclasses import dataclass

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """The bytes of a payload are a setting, `DLQ_MAX_PAYLOAD_BYTES`; nobody turns the others.

    A key and its value take four bytes or more, so by default the bytes end a payload before its keys do.
    The keys count for whoever allows larger payloads: reading one key costs as much time and memory as
    hundreds of bytes of text.
    """

    payload_bytes: int = MEBIBYTE
    payload_keys: int = MEBIBYTE // 4
    record_bytes: int = MEBIBYTE

    @property
    def stored_characters(self) -> int:
        """The number of characters from which jsonb's text of a payload is too long, whatever it holds.

        jsonb writes a space after each comma and each colon: at most as much again as was sent.
        """
        return 2 * self.payload_bytes + 1


DEFAULT_LIMITS = Limits()
