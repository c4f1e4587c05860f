"""Kafka Connect: ``__connect.errors.*``, all text.

Written where ``errors.deadletterqueue.context.headers.enable`` is true, which is not its default.
"""

from dlqconsole.pipeline.kafka.dialects.foreign import Foreign
from dlqconsole.pipeline.kafka.dialects.notes import Notes

SIGNS = PREFIXES = ("__connect.errors.",)


def read(notes: Notes) -> Foreign:
    """The failure that a sink connector noted. A connector's consumers are the group ``connect-<name>``."""
    connector = notes.text(f"{SIGNS[0]}connector.name")
    stage = notes.text(f"{SIGNS[0]}stage")
    message = notes.text(f"{SIGNS[0]}exception.message")
    return Foreign(
        dialect="Kafka Connect",
        error_class=notes.text(f"{SIGNS[0]}exception.class.name", f"{SIGNS[0]}class.name"),
        message=f"{message} [{stage}]" if stage and message else message or stage,
        stacktrace=notes.text(f"{SIGNS[0]}exception.stacktrace"),
        topic=notes.topic(f"{SIGNS[0]}topic"),
        partition=notes.number(f"{SIGNS[0]}partition"),
        offset=notes.number(f"{SIGNS[0]}offset"),
        group=f"connect-{connector}" if connector else None,
    )
