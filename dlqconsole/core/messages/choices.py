"""Claims of some event types: messages that a breaker stops stay where they are, untouched."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TypeChoice:
    """The messages that a claim takes, by event type: all but some, or ``only`` some.

    Of ``again_without`` only messages that were never tried are taken. A message without JSON is taken, too:
    a statement cannot tell its type, and the consumer looks again.
    """

    without: tuple[str, ...] = ()
    again_without: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, list[str] | None]:
        """The parameters of the claim's statement."""
        return {
            "without_types": None if self.only else list(self.without),
            "again_without_types": list(self.again_without),
            "only_types": list(self.only) or None,
        }
