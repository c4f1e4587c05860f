"""A failure that happened in somebody else's consumer, as far as it is known."""

from dataclasses import dataclass

from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.outcomes import REASON_LIMIT, Failed
from dlqconsole.processing.texts import one_line, sanitise_text

NAMELESS = "DeadLettered"


@dataclass(frozen=True, slots=True)
class Foreign:
    """A failure, and the record that failed. What its headers do not say, or say unreadably, is None.

    ``dialect``: whose headers they are. ``error_class``: the cause by which it is grouped. ``timestamp``:
    milliseconds since 1970. ``payload_left_out``: its payload stands in the topic of origin only.
    """

    dialect: str
    error_class: str = ""
    message: str = ""
    stacktrace: str = ""
    topic: str | None = None
    partition: int | None = None
    offset: int | None = None
    timestamp: int | None = None
    group: str | None = None
    deliveries: int | None = None
    payload_left_out: bool = False

    @property
    def failure(self) -> Failed:
        """The outcome of the event. Its category is what the failure rules make of it."""
        # Java writes an inner class with a dollar sign
        name = one_line(self.error_class.replace("$", "."), 255) or NAMELESS
        reason = one_line(f"{name}: {self.message or 'its consumer did not say why'}", REASON_LIMIT)
        return Failed(reason, UNKNOWN, name, sanitise_text(self.stacktrace))

    @property
    def place(self) -> tuple[str, int, int] | None:
        """The place of the record that failed; None unless topic, partition and offset are known."""
        if not self.topic or self.partition is None or self.offset is None:
            return None
        return self.topic, self.partition, self.offset
