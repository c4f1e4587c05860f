"""Who acts, as every table writes it: ``user:7``, ``cli:root``, ``schedule``.

A person is the number of their account. A name can be changed, given to somebody else, or spelt so that it
looks like another's; the number is theirs alone, also when the account is gone. ``names`` says it in words.
"""

import re
from typing import Any

_PERSON = re.compile(r"user:([1-9][0-9]{0,9})\Z")


def person(user: Any) -> str:
    """The actor for an account."""
    return f"user:{user.pk}"


def account_of(actor: str) -> int | None:
    """The number of the person's account; None for a machine, and for whoever showed no token."""
    found = _PERSON.match(actor)
    return int(found[1]) if found else None
