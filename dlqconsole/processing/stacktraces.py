"""The origin of an error, as text: the application's frames, not our machinery's."""

import linecache
import os
from types import TracebackType

from .texts import sanitise_text

MAX_FRAMES = 40
MAX_CAUSES = 5

_MACHINERY = os.path.dirname(os.path.abspath(__file__)) + os.sep


def stacktrace(error: BaseException) -> str:
    """Return a Python-looking trace, causes first, without our own frames; at most 64 KB."""
    parts = [_one(each) for each in _chain(error)]
    text = "\nThe above exception led to the following one:\n\n".join(parts)
    return sanitise_text(text)


def message_of(error: BaseException) -> str:
    """Return `str(error)`, even when the error's own __str__ fails."""
    try:
        return str(error)
    except Exception as problem:
        return f"(its message could not be read: {type(problem).__name__})"


def _chain(error: BaseException) -> list[BaseException]:
    chain = [error]
    while len(chain) < MAX_CAUSES:
        last = chain[-1]
        before = last.__cause__ or (None if last.__suppress_context__ else last.__context__)
        if before is None or before in chain:
            break
        chain.append(before)
    return chain[::-1]


def _one(error: BaseException) -> str:
    frames = _frames(error.__traceback__)
    if len(frames) > MAX_FRAMES:  # a deep recursion: both ends tell the story
        half = MAX_FRAMES // 2
        frames = [*frames[:half], f"  … {len(frames) - 2 * half:,} more frames …\n", *frames[-half:]]
    head = "Traceback (most recent call last):\n" if frames else ""
    return f"{head}{''.join(frames)}{type(error).__name__}: {message_of(error)}\n"


def _frames(traceback: TracebackType | None) -> list[str]:
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not code.co_filename.startswith(_MACHINERY):
            line = linecache.getline(code.co_filename, traceback.tb_lineno).strip()
            source = f"    {line}\n" if line else ""
            where = f'  File "{code.co_filename}", line {traceback.tb_lineno}, in {code.co_qualname}\n'
            frames.append(where + source)
        traceback = traceback.tb_next
    return frames
