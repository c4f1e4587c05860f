"""How bad it looks, as one number: an outage brings it up, ordinary failures do not.

Each failure adds one and each success takes some away, but never below zero. Where failures are rarer than
the share that both balance at, the number stays near zero for ever; where everything fails, it counts them.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class FailureScore:
    """What outcomes in turn do to a number that others change, too: it becomes max(it + added, least)."""

    added: float = 0.0
    least: float = 0.0

    def failed(self) -> None:
        """One more failure."""
        self.added += 1.0
        self.least += 1.0

    def succeeded(self, weight: float) -> None:
        """One more success, which takes ``weight`` away."""
        self.added -= weight
        self.least = max(self.least - weight, 0.0)

    @property
    def rises(self) -> bool:
        """Whether it brings the number up wherever that is, or up by some failures in a row."""
        return self.least > 0 and (self.added >= 0 or self.least >= 3)


def success_weight(share: float) -> float:
    """What a success takes away, so that ``share`` percent of failures neither raise nor lower the number."""
    return share / (100 - share)
