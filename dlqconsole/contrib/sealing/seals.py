"""Sealing the audit log: blocks of rows under a key that the database does not have, each holding the last.

Nothing is done when a row is written: a chain from row to row would have every operation and every sign-in
wait until the one before it has committed. The beat seals instead, some seconds later, what was committed.

Numbers are given out before they are committed, so a block may only end where nobody can still come with a
lower number. A session that has one holds a writer's lock on the table until its transaction ends: a seal
notes who did (``waits_for``) when the newest row was ``next_up_to``, and once none of them is there any more
the next block may end at that row. A number that was rolled back is in no block, and never missed.
"""

import hashlib
import hmac
import json
import logging
from dataclasses import dataclass
from datetime import UTC
from functools import lru_cache

from django.conf import settings

from dlqconsole.contrib.sealing import blocks
from dlqconsole.contrib.sealing.models import AuditSeal
from dlqconsole.contrib.sealing.sql import sql
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.hosting.database import transaction

_PURPOSE = b"dlqconsole audit seal"
BLOCK = 5_000  # rows
BEFORE_THE_FIRST = -(2**63)
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Key:
    """A key and its public name, by which a seal says which one made it."""

    secret: bytes
    name: str

    def sign(self, content: bytes) -> bytes:
        """Return 32 bytes that nobody else can make of this content."""
        return hmac.digest(self.secret, content, "sha256")


def sealing_key() -> Key:
    """Return the key that seals from now on."""
    return _keys()[0]


def key_named(name: str) -> Key | None:
    """Return one of our keys by its name; None for a key that was taken away, or never was ours."""
    return next((key for key in _keys() if key.name == name), None)


def _keys() -> list[Key]:
    """Return DLQ_AUDIT_KEY, the newest first; where it is not set, one made of SECRET_KEY."""
    return [_key(text) for text in settings.DLQ_AUDIT_KEY or [settings.SECRET_KEY]]


@lru_cache(maxsize=16)
def _key(text: str) -> Key:
    secret = hmac.digest(text.encode(), _PURPOSE, "sha256")
    return Key(secret, hashlib.sha256(_PURPOSE + secret).hexdigest()[:16])


@dataclass(frozen=True, slots=True)
class Ends:
    """The possible end of the next block now, and the sessions to wait for after that."""

    up_to: int
    next_up_to: int
    waits_for: list[str]


def seal() -> int:
    """Seal committed rows. Return their number. Another process's sealing is left to it."""
    total = 0
    while (new := _seal_block()) is not None:
        total += new.count
        logger.info("audit log sealed up to row %d, head %s", new.up_to, head(new))
        if new.count < BLOCK:
            break
    return total


def head(seal: AuditSeal) -> str:
    """Return ``812:3f2a…``: somebody outside notes it, to see later that nothing was cut off."""
    return f"{seal.number}:{bytes(seal.hash).hex()}"


def last_seal() -> AuditSeal | None:
    """Return the newest seal, without its marks."""
    return AuditSeal.objects.defer("marks").order_by("-number").first()


def hash_of(seal: AuditSeal, key: Key) -> bytes:
    """Compute the seal's hash. JSON: no two lists of values are the same text."""
    numbers = [seal.number, seal.above, seal.up_to, seal.count, seal.next_up_to]
    texts = [seal.columns, seal.waits_for, seal.at.astimezone(UTC).isoformat(), seal.key_name]
    marks = hashlib.sha256(seal.marks).hexdigest()
    content = [*numbers, *texts, bytes(seal.content).hex(), marks, bytes(seal.previous).hex()]
    return key.sign(json.dumps(content).encode())


@transaction.atomic
def _seal_block() -> AuditSeal | None:
    if not fetch_column(sql("sealing.take_turn"), {})[0]:
        return None
    before = last_seal()
    end = before.up_to if before else BEFORE_THE_FIRST
    ends = _ends(before, end)
    if ends is None:
        return None
    seal = _block(end, ends)
    seal.number, seal.previous = (before.number + 1, before.hash) if before else (1, b"")
    seal.hash = hash_of(seal, sealing_key())
    seal.save(force_insert=True)
    return seal


def _ends(before: AuditSeal | None, end: int) -> Ends | None:
    """Return the next end; None where there is nothing to seal, and nothing new to wait for."""
    newest = fetch_column(sql("sealing.newest"), {})[0]
    if newest is None or newest <= end:
        return None
    writing = fetch_column(sql("sealing.writing"), {})  # asked after the newest row was
    if not writing:
        return Ends(newest, newest, [])
    if before is None or before.next_up_to <= end:
        return Ends(end, newest, writing)
    if not set(before.waits_for).isdisjoint(writing):
        return None
    return Ends(before.next_up_to, newest, writing)


def _block(end: int, ends: Ends) -> AuditSeal:
    """Return the seal of the rows above ``end``, without its place in the chain."""
    names, key = blocks.columns(), sealing_key()
    content, marks, last = hashlib.sha256(), [], b""
    for line in blocks.lines(names, end, ends.up_to, BLOCK):
        content.update(line)
        marks.append(blocks.mark(line, key.secret))
        last = line
    if len(marks) == BLOCK:
        # the rest is ripe, too, whoever writes meanwhile
        ends = Ends(blocks.id_of(last), ends.up_to, [])
    return AuditSeal(
        above=end,
        up_to=ends.up_to,
        count=len(marks),
        columns=names,
        content=content.digest(),
        marks=b"".join(marks),
        next_up_to=ends.next_up_to,
        waits_for=ends.waits_for,
        at=fetch_column(sql("sealing.clock"), {})[0],
        key_name=key.name,
    )
