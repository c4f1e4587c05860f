"""The names that a queue may have: the one rule for producers, commands and pages."""

import re

from dlqconsole.processing.inputs.plain_text import quoted

LONGEST_NAME = 47
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,46}")
# <system>:<its own name for the queue>; messages wait here for the relay
_ATTACHED = re.compile(r"[a-z]+:[^\0]{1,200}")


def refusal(name: str) -> str:
    """Return why no queue of ours can have this name; empty if one can."""
    if ":" in name:
        why = "a colon names a queue of another system, which is attached, not created."
    elif not _NAME.fullmatch(name):
        why = (
            f"a name has 1 to {LONGEST_NAME} letters (a to z), digits, dots, dashes and underscores, and"
            " starts with a letter or a digit."
        )
    else:
        return ""
    return f"A queue cannot be called {quoted(name, 60)}: {why}"


def refusal_to_send(name: str) -> str:
    """Return why nothing can be sent to this name; empty for a queue of ours or an attached one."""
    return "" if _ATTACHED.fullmatch(name) else refusal(name)
