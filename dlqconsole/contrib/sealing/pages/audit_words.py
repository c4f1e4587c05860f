"""The audit page's words for a verification of the log."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.console.audit.subjects import Words, number


def _verification(detail: Mapping[str, Any]) -> str:
    rows = f"{number(detail.get('rows', 0))} sealed entries"
    problems = detail.get("problems", 0)
    s = "" if problems == 1 else "s"
    return f"{rows} compared: {number(problems)} difference{s}" if problems else f"{rows} are what they were"


WORDS: dict[str, Words] = {"audit": {"verify": _verification}}
