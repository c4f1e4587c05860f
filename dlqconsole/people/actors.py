"""Who acts, as every table writes it: ``user:7``, ``cli:root``, ``schedule``, ``<machine>:3 for user:7``.

A person is the number of their account. A name can be changed, given to somebody else, or spelt so that it
looks like another's; the number is theirs alone, also when the account is gone. ``names`` says it in words.

What acts by a standing rule of a person names both: the person answers for what it does, and may not approve
of it what they may not approve of their own.
"""

import re
from typing import Any

_PERSON = re.compile(r"user:([1-9][0-9]{0,9})\Z")
_FOR = " for "


def person(user: Any) -> str:
    """The actor for an account."""
    return f"user:{user.pk}"


def account_of(actor: str) -> int | None:
    """The number of the person's account; None for a machine, and for whoever showed no token."""
    found = _PERSON.match(actor)
    return int(found[1]) if found else None


def acting_for(machine: str, whose: str) -> str:
    """The actor for what a machine does by a person's standing rule: ``<machine>:3 for user:7``."""
    return f"{machine}{_FOR}{whose}"


def answers_for(actor: str) -> str:
    """Who answers for it: the person behind a standing rule; else who acts."""
    machine, is_for, whose = actor.partition(_FOR)
    return whose if is_for and account_of(whose) is not None else machine + is_for + whose
