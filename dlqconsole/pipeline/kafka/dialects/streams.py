"""Kafka Streams (KIP-1034): ``__streams.errors.*``."""

from dlqconsole.pipeline.kafka.dialects.foreign import Foreign
from dlqconsole.pipeline.kafka.dialects.notes import Notes

SIGNS = PREFIXES = ("__streams.errors.",)


def read(notes: Notes) -> Foreign:
    """The failure that a Streams application noted. The exception may stand with its message behind it."""
    name, _colon, rest = notes.text(f"{SIGNS[0]}exception").partition(":")
    return Foreign(
        dialect="Kafka Streams",
        error_class=name.strip(),
        message=notes.text(f"{SIGNS[0]}message") or rest.strip(),
        stacktrace=notes.text(f"{SIGNS[0]}stacktrace"),
        topic=notes.topic(f"{SIGNS[0]}topic"),
        partition=notes.number(f"{SIGNS[0]}partition"),
        offset=notes.number(f"{SIGNS[0]}offset"),
    )
