"""Every failure that was ever reported is found with its own reason and trace, once."""

from collections import Counter

from tests.histories.failing_handlers import Failure
from tests.histories.ledger import Ledger
from tests.histories.snapshot import AttemptRow, LetterRow, Snapshot

# beyond it the middle of a story is one row with a number
MOST = 100
FIRST, NEWEST = 20, 59


def check(ledger: Ledger, now: Snapshot) -> None:
    """Of each dead letter, and of each message that has not become one."""
    for letter in ledger.letters.values():
        _told(letter.failures, now.failed[letter.id], now.letters[letter.id])
    for one in ledger.standing_on():
        if one.letter is None:
            _told(one.failures, now.failed[one.name], None)


def _told(said: list[Failure], attempts: list[AttemptRow], row: LetterRow | None) -> None:
    kept = [(one.error_reason, one.error_category, one.error_stacktrace) for one in attempts]
    number = sum(one.stands_for for one in attempts)
    # what plain SQL or Spark wrote becomes an attempt when it is written over; until then the row says it
    if row is not None and number == len(said) - 1:
        kept.append((row.error_reason, row.said_category, row.error_stacktrace))
        number += 1
    assert number == len(said), f"{len(said)} failures, but {number} are told: {said}, {kept}"
    for failure, times in Counter(_readable(said)).items():
        found = [
            one for one in kept if one[:2] == (failure.reason, failure.category) and failure.trace in one[2]
        ]
        assert len(found) == times, f"{failure} is told {len(found)} times: {kept}"


def _readable(said: list[Failure]) -> list[Failure]:
    return said if len(said) <= MOST else said[:FIRST] + said[-NEWEST + 1 :]
