"""Whether a text can be a secret: who guesses Django's signs in as anybody, or seals what was forged."""

import re
from itertools import pairwise

SHORTEST, FEWEST = 32, 8
HOW = 'python3 -c "import secrets; print(secrets.token_urlsafe(50))"'
# What stands in templates, tutorials and documents, ours included. Punctuation and capitals do not matter.
KNOWN = (
    "djangoinsecure",
    "changeme",
    "changethis",
    "replaceme",
    "secretkey",
    "yoursecret",
    "mysecret",
    "notsecret",
    "notasecret",
    "supersecret",
    "longrandomtext",
    "longrandomstring",
    "example",
    "password",
    "qwerty",
    "asdfgh",
    "zxcvbn",
    "insecure",
    "onlywhilebuilding",
    "onlyforthistest",
)


def check_secret(secret: str) -> None:
    """Raise ValueError with a sentence, which never holds it, for one that is short, plain or known."""
    text = secret.strip()
    if not text:
        raise ValueError(f"It is only spaces; make one by {HOW}.")
    if len(text) < SHORTEST:
        raise ValueError(f"It has {len(text)} characters and needs {SHORTEST}; make one by {HOW}.")
    if len(set(text)) < FEWEST or _repeats(text) or _counts(text):
        raise ValueError(f"It is not random: a few characters again and again; make one by {HOW}.")
    if any(known in re.sub(r"[^a-z]", "", text.lower()) for known in KNOWN):
        raise ValueError(f"Its words stand in public documents; make one by {HOW}.")


def _repeats(text: str) -> bool:
    """Whether it is one short text several times: twice itself, it holds itself earlier than at its end."""
    return (text + text).find(text, 1) <= len(text) // 2


def _counts(text: str) -> bool:
    """Whether most of it follows the alphabet or the digits."""
    steps = [ord(after) - ord(before) for before, after in pairwise(text)]
    return sum(step in (0, 1, -1) for step in steps) > len(steps) * 3 // 4
