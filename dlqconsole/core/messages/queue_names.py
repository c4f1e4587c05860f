"""The names that a queue may have: one rule for producers, commands, pages, and the tables."""

import re

from dlqconsole.processing.inputs.plain_text import is_storable, quoted

LONGEST_NAME = 255
# <system>:<its own name for the queue>; messages wait here for the relay
_ATTACHED = re.compile(r"[a-z]+:[^\0]{1,200}")


def refusal(name: str) -> str:
    """Return why no queue of ours can have this name; empty if one can."""
    if ":" in name:
        why = "a colon names a queue of another system, which is attached, not created."
    elif not 1 <= len(name) <= LONGEST_NAME or not is_storable(name):
        why = f"a name has 1 to {LONGEST_NAME} characters, and no NUL."
    else:
        return ""
    return f"A queue cannot be called {quoted(name, 60)}: {why}"


def refusal_to_send(name: str) -> str:
    """Return why nothing can be sent to this name; empty for a queue of ours or an attached one."""
    return "" if _ATTACHED.fullmatch(name) else refusal(name)
