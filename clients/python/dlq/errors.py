"""An error as text: its type, message, trace and causes. Values of variables only where you ask for them."""

from __future__ import annotations

import contextlib
import os
import re
import traceback
from collections.abc import Iterator
from typing import Any

MOST_CAUSES, MOST_FRAMES = 5, 40
MESSAGE_LIMIT, TRACE_LIMIT = 2_000, 60_000
CATEGORIES = ("TRANSIENT", "DEPENDENCY", "PERMANENT", "BUSINESS", "UNKNOWN")
_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def described(error: BaseException, category: str | None, with_locals: bool) -> dict[str, Any]:
    """Return the `error` of a report. An error may know its category, as an attribute of that name."""
    known = category_of(error, category)
    chain = list(_chain(error))
    return {
        "type": type(error).__name__,
        "message": _message(error),
        "stacktrace": clean(_trace(chain, with_locals), TRACE_LIMIT),
        **({"category": known} if known else {}),
        "causes": [{"type": type(cause).__name__, "message": _message(cause)} for cause in chain[1:]],
    }


def category_of(error: BaseException, given: str | None = None) -> str | None:
    """Return the category that was given, or that the error knows; None: nobody has said a valid one."""
    known = given
    with contextlib.suppress(Exception):  # an error's own code
        known = given or getattr(error, "category", None)
    return known if known in CATEGORIES else None


def reason_of(error: BaseException) -> str:
    """Return the error in a line."""
    return f"{type(error).__name__}: {_message(error)}"


def clean(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """Return the text as PostgreSQL can keep it; of a long one both ends."""
    if len(text) > limit:
        text = f"{text[: limit // 2]} … {text[-limit // 2 :]}"
    return _UNSTORABLE.sub("\ufffd", text)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Walk from the error to what it came from; of a group, to its members."""
    errors, known = [error], set[int]()
    while errors and len(known) <= MOST_CAUSES:
        current = errors.pop(0)
        if id(current) in known:
            continue
        known.add(id(current))
        yield current
        before = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
        members = getattr(current, "exceptions", ())
        errors += [each for each in (before, *members) if isinstance(each, BaseException)]


def _message(error: BaseException) -> str:
    try:
        return clean(str(error))
    except Exception as problem:
        return f"(its message could not be read: {type(problem).__name__})"


def _trace(chain: list[BaseException], with_locals: bool) -> str:
    parts = [_one(error, with_locals) for error in reversed(chain)]
    return "\nThe above exception led to the following one:\n\n".join(parts)


def _one(error: BaseException, with_locals: bool) -> str:
    walked = [
        (frame, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith(_OURS)
    ]
    frames = traceback.StackSummary.extract(
        iter(walked[-MOST_FRAMES:]), limit=MOST_FRAMES, capture_locals=with_locals
    )
    head = "Traceback (most recent call last):\n" if frames else ""
    notes = "".join(f"{note}\n" for note in getattr(error, "__notes__", ()) if isinstance(note, str))
    return f"{head}{''.join(frames.format())}{reason_of(error)}\n{notes}"
