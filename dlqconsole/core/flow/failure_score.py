"""The badness of an outage as one number: an outage raises it, ordinary failures do not.

Each failure adds one and each success takes some away, but never below zero. Where failures are rarer than
the share that both balance at, the number stays near zero for ever; where everything fails, it counts them.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class FailureScore:
    """The effect of outcomes on a number that others change, too: max(number + change, least)."""

    change: float = 0.0
    least: float = 0.0

    def note_failure(self) -> None:
        """One more failure."""
        self.change += 1.0
        self.least += 1.0

    def note_successes(self, weight: float) -> None:
        """More successes, which take ``weight`` away in all."""
        self.change -= weight
        self.least = max(self.least - weight, 0.0)

    @property
    def rises(self) -> bool:
        """Tell whether it raises the number from any value, or by some failures in a row."""
        return self.least > 0 and (self.change >= 0 or self.least >= 3)


def success_weight(share: float) -> float:
    """Return what a success subtracts, so that ``share`` percent of failures leave the number as it is."""
    return share / (100 - share)
