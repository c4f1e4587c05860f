"""Sealing the audit log: blocks of rows under a key that the database does not have, each holding the last.

Nothing is done when a row is written: a chain from row to row would have every operation and every sign-in
wait until the one before it has committed. The beat seals instead, some seconds later, what was committed.

Numbers are given out before they are committed, so a block may only end where nobody can still come with a
lower number. A session that has one holds a writer's lock on the table until its transaction ends: a seal
notes who did (``waits_for``) when the newest row was ``next_up_to``, and once none of them is there any more
the next block may end at that row. A number that was rolled back is in no block, and never missed.
"""

import hashlib
import json
import logging
from dataclasses import dataclass
from datetime import UTC

from django.db import transaction

from dlqconsole.engine.models import AuditSeal
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.engine.sealing import blocks
from dlqconsole.engine.sealing.keys import Key, sealing_key
from dlqconsole.engine.sql import sql

BLOCK = 5_000  # rows
BEFORE_THE_FIRST = -(2**63)
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ends:
    """The possible end of the next block now, and the sessions to wait for after that."""

    up_to: int
    next_up_to: int
    waits_for: list[str]


def seal() -> int:
    """Seal committed rows. Return their number. Another process's sealing is left to it."""
    sealed = 0
    while (made := _seal_block()) is not None:
        sealed += made.count
        logger.info("audit log sealed up to row %d, head %s", made.up_to, head(made))
        if made.count < BLOCK:
            break
    return sealed


def head(made: AuditSeal) -> str:
    """Return ``812:3f2a…``: somebody outside notes it, to see later that nothing was cut off."""
    return f"{made.number}:{bytes(made.hash).hex()}"


def last_seal() -> AuditSeal | None:
    """Return the newest seal, without its marks."""
    return AuditSeal.objects.defer("marks").order_by("-number").first()


def hash_of(made: AuditSeal, key: Key) -> bytes:
    """Compute the seal's hash. JSON: no two lists of values are the same text."""
    numbers = [made.number, made.above, made.up_to, made.count, made.next_up_to]
    texts = [made.columns, made.waits_for, made.at.astimezone(UTC).isoformat(), made.key_name]
    marks = hashlib.sha256(made.marks).hexdigest()
    content = [*numbers, *texts, bytes(made.content).hex(), marks, bytes(made.previous).hex()]
    return key.sign(json.dumps(content).encode())


@transaction.atomic
def _seal_block() -> AuditSeal | None:
    if not fetch_column(sql("sealing.take_turn"), {})[0]:
        return None
    before = last_seal()
    done = before.up_to if before else BEFORE_THE_FIRST
    ends = _ends(before, done)
    if ends is None:
        return None
    made = _block(done, ends)
    made.number, made.previous = (before.number + 1, before.hash) if before else (1, b"")
    made.hash = hash_of(made, sealing_key())
    made.save(force_insert=True)
    return made


def _ends(before: AuditSeal | None, done: int) -> Ends | None:
    """Return the next end; None where there is nothing to seal, and nothing new to wait for."""
    newest = fetch_column(sql("sealing.newest"), {})[0]
    if newest is None or newest <= done:
        return None
    writing = fetch_column(sql("sealing.writing"), {})  # asked after the newest row was
    if not writing:
        return Ends(newest, newest, [])
    if before is None or before.next_up_to <= done:
        return Ends(done, newest, writing)
    if not set(before.waits_for).isdisjoint(writing):
        return None
    return Ends(before.next_up_to, newest, writing)


def _block(done: int, ends: Ends) -> AuditSeal:
    """Return the seal of the rows above ``done``, without its place in the chain."""
    names, key = blocks.columns(), sealing_key()
    content, marks, last = hashlib.sha256(), [], b""
    for line in blocks.lines(names, done, ends.up_to, BLOCK):
        content.update(line)
        marks.append(blocks.mark(line, key.secret))
        last = line
    if len(marks) == BLOCK:
        # the rest is ripe, too, whoever writes meanwhile
        ends = Ends(blocks.id_of(last), ends.up_to, [])
    return AuditSeal(
        above=done,
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
