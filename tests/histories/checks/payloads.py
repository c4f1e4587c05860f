"""Every payload that was ever accepted is found byte for byte, until it is done with or purged."""

from tests.histories.ledger import Ledger
from tests.histories.snapshot import Snapshot


def check(ledger: Ledger, now: Snapshot) -> None:
    """A dead letter holds what it ever held, in itself or in a version. Messages are looked at elsewhere."""
    for letter in ledger.letters.values():
        row = now.letters[letter.id]
        held = {row.content, *now.versions[letter.id]}
        assert held == set(letter.contents), letter
        if row.same_id_as in now.letters:
            assert ledger.letters[row.same_id_as].key == letter.key
