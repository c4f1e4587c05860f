"""The headers in which somebody noted a failure. They come from outside: nothing here raises."""

from dlqconsole.pipeline.kafka.records import RawHeaders, is_topic
from dlqconsole.processing.texts import sanitise_text

MOST = 2**63 - 1


class Notes:
    """Headers by name. A failure that was noted several times has several of each: which one is asked for."""

    def __init__(self, headers: RawHeaders) -> None:
        self._values: dict[str, list[bytes]] = {}
        for name, value in headers:
            if value is not None:
                self._values.setdefault(name, []).append(value)

    def text(self, *names: str) -> str:
        """The last value under the first of the names that is there; empty when none is."""
        value = next((self._values[name][-1] for name in names if name in self._values), b"")
        return sanitise_text(value.decode(errors="replace"))

    def topic(self, *names: str) -> str | None:
        """The first value as a topic's name: where it failed for the first time. None for what is none."""
        value = next((self._values[name][0] for name in names if name in self._values), b"")
        topic = value.decode(errors="replace")
        return topic if is_topic(topic) else None

    def number(self, *names: str) -> int | None:
        """The first value as a number: digits, or 4 or 8 bytes as Java writes them; else None."""
        value = next((self._values[name][0] for name in names if name in self._values), b"")
        if value.isdigit():
            number = int(value[:20])
        elif len(value) in (4, 8):
            number = int.from_bytes(value, "big", signed=True)
        else:
            return None
        return number if 0 <= number <= MOST else None
