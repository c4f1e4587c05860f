"""Every event that was accepted is in exactly one state, and nobody else has changed it."""

from dlqconsole.core.lifecycle.states import DeadLetterStatus as S
from tests.histories.ledger import Delivery, Ledger, Letter
from tests.histories.snapshot import Snapshot
from tests.plain_sql import rows

FORGOTTEN = """
    SELECT m.id FROM message_queue m
    WHERE m.status = 'waiting' AND dead_letter_ahead(m.queue, m.group_key, m.id) IS NULL AND NOT EXISTS (
        SELECT FROM message_queue e WHERE e.queue = m.queue AND e.group_key = m.group_key AND e.id < m.id
    )
"""


def check(ledger: Ledger, now: Snapshot) -> None:
    """Each message stands where it was put, each dead letter is as it was left, and the pairs agree."""
    _messages(ledger, now)
    assert now.letters.keys() == ledger.letters.keys()
    for letter in ledger.letters.values():
        _letter(letter, now)
        _pair(ledger, letter, now)
    assert now.archived == ledger.archived
    assert rows(FORGOTTEN) == [], "each message that waits has somebody or a dead letter before it"


def _messages(ledger: Ledger, now: Snapshot) -> None:
    ours = {one.id: one for one in ledger.standing_on() if not one.is_elsewhere}
    assert now.messages.keys() == ours.keys()
    for number, one in ours.items():
        _message(one, number, now)


def _message(one: Delivery, number: int, now: Snapshot) -> None:
    row = now.messages[number]
    assert (row.queue, row.retry_count, row.content) == (one.queue, one.attempts, one.content)
    assert row.dlq_event_id == (one.letter and one.letter.id)


def _letter(letter: Letter, now: Snapshot) -> None:
    row = now.letters[letter.id]
    assert row.status in letter.may_be, f"{letter} is {row.status}"
    assert (row.occurrences, row.retry_count) == (letter.occurrences, letter.retries), letter
    letter.status = row.status
    letter.becomes(row.status)
    if row.status != S.REVIVED:
        letter.is_adrift = False


def _pair(ledger: Ledger, letter: Letter, now: Snapshot) -> None:
    """REVIVED: one message of this revival is on its way. Else: none is."""
    row = now.letters[letter.id]
    on_its_way = ledger.of_letter(letter)
    here = [one.revive_seq for one in now.messages.values() if one.dlq_event_id == letter.id]
    there = [sequence for number, sequence, _remote in now.forwarded if number == letter.id]
    if row.status != S.REVIVED:
        assert (on_its_way, here, there) == ([], [], []), letter
    elif not letter.is_adrift:
        assert len(on_its_way) == 1, letter
        assert here + there == [row.revive_count], letter
