"""Spring Kafka: ``kafka_dlt-*``, and ``kafka_*`` where it sends to retry topics of its own first.

Partition, offset and timestamp are big-endian binary. The class is that of Spring's wrapper
(ListenerExecutionFailedException for all of them), so that the cause's is taken where there is one.
"""

import re

from dlqconsole.pipeline.kafka.dialects.foreign import Foreign
from dlqconsole.pipeline.kafka.dialects.notes import Notes

SIGNS = ("kafka_dlt-", "kafka_exception-", "kafka_original-")
PREFIXES = (*SIGNS, "retry_topic-")
_STARTS = ("kafka_dlt-", "kafka_")


def read(notes: Notes) -> Foreign:
    """The failure that Spring's recoverer noted."""
    stacktrace = notes.text(*_names("exception-stacktrace"), "kafka_dlt-key-exception-stacktrace")
    outer = notes.text(*_names("exception-fqcn"), "kafka_dlt-key-exception-fqcn")
    cause = notes.text(*_names("exception-cause-fqcn")) or outer
    message = notes.text(*_names("exception-message"), "kafka_dlt-key-exception-message")
    return Foreign(
        dialect="Spring Kafka",
        error_class=cause,
        message=_message_of(cause, stacktrace) or message,
        stacktrace=stacktrace,
        topic=notes.topic(*_names("original-topic")),
        partition=notes.number(*_names("original-partition")),
        offset=notes.number(*_names("original-offset")),
        timestamp=notes.number(*_names("original-timestamp")),
        group=notes.text(*_names("original-consumer-group")) or None,
        deliveries=notes.number("retry_topic-attempts"),
    )


def _names(name: str) -> tuple[str, ...]:
    return tuple(start + name for start in _STARTS)


def _message_of(cause: str, stacktrace: str) -> str:
    """Return the cause's own message. The wrapper's says of each failure that a listener threw it."""
    if not cause:
        return ""
    match = re.search(rf"^Caused by: {re.escape(cause)}: (.+)$", stacktrace[:65_536], re.MULTILINE)
    return match[1].strip() if match else ""
