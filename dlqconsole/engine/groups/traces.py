"""The failure groups of a pasted stack trace, by the functions that fingerprint a failure."""

import re
from collections.abc import Iterator

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.sql import sql

# as much of a trace as a fingerprint reads; behind it its last line alone
READ = 32_768
_THREAD = re.compile(r'^(?:Exception in thread "[^"]*" |Caused by: |Uncaught )')


def groups_of(trace: str) -> list[tuple[int, str]]:
    """Return number and sentence of the groups that fit a trace best."""
    frames = trace if len(trace) <= READ else f"{trace[:READ]}\n{trace[-READ:]}"
    values = {"frames": frames[-READ:], "start": trace[:READ], "lines": list(dict.fromkeys(_reasons(trace)))}
    rows = fetch_dicts(sql("traces.groups_of"), values)
    return [(row["id"], row["message"]) for row in rows if row["fits"] == rows[0]["fits"]]


def last_line(trace: str) -> str:
    """Return a trace's last line: in many languages the reason."""
    return next((line.strip() for line in reversed(trace.splitlines()) if line.strip()), "")


def longest_words(sentence: str) -> str:
    """Return the longest piece of a sentence between its values: by it the sentence is found."""
    return max(re.split(r"<(?:value|code)>", sentence), key=len).strip()


def _reasons(trace: str) -> Iterator[str]:
    """Yield the lines that may be the reason: the last, the first, and those of causes."""
    lines = [line.strip() for line in trace.splitlines() if line.strip()]
    yield last_line(trace)
    for line in [*lines[:1], *(line for line in lines if line.startswith("Caused by: "))][:20]:
        yield _THREAD.sub("", line)
