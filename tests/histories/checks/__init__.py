"""What must hold after each step, a promise each."""

from tests.histories.checks import counts, failures, payloads, places
from tests.histories.ledger import Ledger
from tests.histories.snapshot import Snapshot


def everything(ledger: Ledger, now: Snapshot) -> None:
    """All of it, for one look at the tables."""
    places.check(ledger, now)
    failures.check(ledger, now)
    payloads.check(ledger, now)
    counts.check(now)
