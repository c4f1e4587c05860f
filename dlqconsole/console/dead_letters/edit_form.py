"""What a person typed into the edit form, and what its pages show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from dlqconsole.console.operations.asked_operation import LONGEST_REASON, NotUnderstood, new_request_key
from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.dead_letters.editing import Draft, Editable
from dlqconsole.engine.dead_letters.excerpts import SHOWN
from dlqconsole.processing import edited_headers
from dlqconsole.processing.decoded import OK, SANITISED
from dlqconsole.processing.differences import Difference, difference
from dlqconsole.processing.json_text import pretty

EMPTY_ROWS = 2
STALE = "The form lost the version that it was opened with. Open it again; what you typed is still below."


@dataclass(frozen=True, slots=True)
class Typed:
    """The form's fields. ``version``: of the row that the person saw."""

    version: int
    payload: str
    names: list[str]
    values: list[str]
    reason: str = ""

    @classmethod
    def read(cls, posted: QueryDict) -> Typed:
        """Read a posted form. A browser ends lines with CR LF; the payload is taken without."""
        seen = posted.get("version", "")
        return cls(
            int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 10 else 0,
            posted.get("payload", "").replace("\r\n", "\n"),
            [name.strip() for name in posted.getlist("header_name")],
            posted.getlist("header_value"),
            posted.get("reason", "")[:LONGEST_REASON],
        )

    @classmethod
    def of(cls, letter: Editable) -> Typed:
        """The form as it is first opened."""
        free = [(name, value) for name, value, fixed in edited_headers.rows(letter.headers) if not fixed]
        return cls(
            letter.version, shown_text(letter) or "", [row[0] for row in free], [row[1] for row in free]
        )

    def headers(self) -> dict[str, str]:
        """The headers that a person may change; a row without a name is left out. Raises NotUnderstood."""
        found: dict[str, str] = {}
        for name, value in zip(self.names, self.values, strict=False):
            if name in found:
                raise NotUnderstood(f"The header “{name[:60]}” stands there twice.")
            if name:
                found[name] = value
        return found


def shown_text(letter: Editable) -> str | None:
    """The payload to begin from, set out for reading where it is JSON; None where it is no text."""
    text = letter.shown
    if text is not None and letter.payload.state in (OK, SANITISED):
        return pretty(text)
    return text


def too_long(letter: Editable) -> bool:
    """Whether a browser should not be given this payload to edit."""
    return max(len(letter.text or ""), len(letter.raw or b""), len(letter.headers)) > SHOWN


def odd_headers(letter: Editable) -> bool:
    """Whether the headers are nested too deep, or hold numbers too odd, to stand in a form."""
    try:
        edited_headers.rows(letter.headers)
    except (TypeError, ValueError, RecursionError):
        return True
    return False


def form_page(letter: Editable, typed: Typed, problems: list[str] | None = None) -> dict[str, Any]:
    """The context of the form itself."""
    rows = [row for row in zip(typed.names, typed.values, strict=False) if any(row)]
    return {
        "step": "edit",
        "letter": letter,
        "typed": typed,
        "problems": problems or [],
        "header_rows": [*rows, *[("", "")] * EMPTY_ROWS],
        "protected": [row[:2] for row in edited_headers.rows(letter.headers) if row[2]],
        "version": typed.version or letter.version,
        "not_text": letter.shown is None,
        "payload_problem": "" if letter.payload.state == OK else letter.payload.problem,
    }


def check_page(letter: Editable, typed: Typed, made: Draft, problem: str = "") -> dict[str, Any]:
    """The context of the page that shows what would change and asks why."""
    after = pretty(editing.as_stored(made.payload.json_text or "null"))
    return {
        "step": "check",
        "letter": letter,
        "typed": typed,
        "problems": [problem] if problem else [],
        "payload_difference": difference(shown_text(letter) or "", after),
        "header_difference": difference(pretty(letter.headers), pretty(editing.as_stored(made.headers))),
        "keeps_bytes": made.payload.raw is not None,
        "request_key": new_request_key(),
    }


def conflict_page(theirs: Editable, typed: Typed, sentence: str) -> dict[str, Any]:
    """The context of the page for who was slower: theirs beside ours, and ours still in the form."""
    return form_page(theirs, typed, [sentence]) | {
        "step": "conflict",
        "version": theirs.version,
        "theirs_to_ours": _against(shown_text(theirs) or "", typed.payload),
    }


def _against(theirs: str, ours: str) -> Difference:
    return difference(theirs, pretty(ours) if ours.strip().startswith(("{", "[")) else ours)
