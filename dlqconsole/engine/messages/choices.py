"""Claiming only some event types: what a breaker stops stays where it is, untouched."""

from dataclasses import dataclass

from dlqconsole.engine.sql import sql


@dataclass(frozen=True, slots=True)
class Choice:
    """Which messages a claim takes, by event type: all but those, or ``only`` some.

    Of ``again_without`` what was never tried is taken. A type that a statement cannot tell, because the
    message has no JSON, is taken too: who runs the handler looks again.
    """

    without: tuple[str, ...] = ()
    again_without: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    @property
    def condition(self) -> str:
        """The condition for a claim's text."""
        name = "messages.only_types" if self.only else "messages.without_types"
        return sql(name).format(event_type=sql("messages.event_type"))

    @property
    def values(self) -> dict[str, list[str]]:
        """Its parameters."""
        return {
            "without_types": list(self.without),
            "again_without_types": list(self.again_without),
            "only_types": list(self.only),
        }
