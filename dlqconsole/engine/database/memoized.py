"""Answers of the database, remembered for one page: it asks once and agrees with itself.

Only for pages that look: whoever changes something sees what it changed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any

_answers: ContextVar[dict[Any, Any] | None] = ContextVar("answers", default=None)


@contextmanager
def memoizing() -> Iterator[None]:
    """Remember answers until the end of the block."""
    token = _answers.set({})
    try:
        yield
    finally:
        _answers.reset(token)


def memoized[**P, Answer](question: Callable[P, Answer]) -> Callable[P, Answer]:
    """Remember the answers of this function, which nobody may change, inside of ``memoizing``.

    Not for what depends on who asks: an answer is kept by the function's arguments alone.
    """

    @wraps(question)
    def remembering(*args: P.args, **kwargs: P.kwargs) -> Answer:
        answers = _answers.get()
        if answers is None:
            return question(*args, **kwargs)
        key = (question, args, tuple(sorted(kwargs.items())))
        if key not in answers:
            answers[key] = question(*args, **kwargs)
        answer: Answer = answers[key]
        return answer

    return remembering
