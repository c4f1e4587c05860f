"""Actors, as every table writes them: ``user:7``, ``cli:root``, ``schedule``, ``<machine>:3 for user:7``.

A person is the number of their account. A name can be changed, given to somebody else, or spelt so that it
looks like another's; the number is theirs alone, also when the account is gone. ``names`` has the names.

A machine that acts by a person's standing rule names both: the person answers for it, and may not approve its
operations, as they may not approve their own.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

_SAY = "SELECT current_setting('dlq.actor', true), set_config('dlq.actor', %s, true)"
_PERSON = re.compile(r"user:([1-9][0-9]{0,9})\Z")
_FOR = " for "


@contextmanager
def acting_as(actor: str) -> Iterator[None]:
    """Open a transaction in which every change of an account, role or permission is this actor's.

    Without it the audit log names the database's role: ``sql:dlq_app``.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_SAY, [actor])
        (before, _now) = cursor.fetchone()
        yield
        cursor.execute(_SAY, [before or ""])


def person(user: Any) -> str:
    """The actor for an account."""
    return f"user:{user.pk}"


def account_of(actor: str) -> int | None:
    """The number of the person's account; None for a machine, and for a shell user without a token."""
    match = _PERSON.match(actor)
    return int(match[1]) if match else None


def acting_for(machine: str, person_actor: str) -> str:
    """The actor for a machine that acts by a person's standing rule: ``<machine>:3 for user:7``."""
    return f"{machine}{_FOR}{person_actor}"


def answers_for(actor: str) -> str:
    """The actor who answers for it: the person behind a standing rule, else the actor itself."""
    machine, is_for, person = actor.partition(_FOR)
    return person if is_for and account_of(person) is not None else machine + is_for + person
