"""`guard`: reports what a function or a block raises, and lets it pass."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
_NOT_GIVEN: Any = object()


class guard:  # noqa: N801 - a decorator and a context manager
    """Report an exception with its event, and raise it again.

        @dlq.guard("order.created")
        def handle(order): ...

        with dlq.guard("order.created", event=order, key=order["id"]): ...

    The event of a decorated function is its argument, or a dict of them if there are several. A `key` that is
    a function is called with the event. Both work on async code too. An error is reported by the innermost.
    """

    def __init__(
        self,
        type: str,
        *,
        event: Any = _NOT_GIVEN,
        source: str | None = None,
        key: str | Callable[[Any], object] | None = None,
        queue: str | None = None,
        category: str | None = None,
        headers: Mapping[str, Any] | None = None,
    ) -> None:
        self._event, self._key = event, key
        self._more: dict[str, Any] = {
            "type": type, "source": source, "queue": queue, "category": category, "headers": headers,
        }  # fmt: skip

    def __call__(self, function: Function) -> Function:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def guarded(*positional: Any, **named: Any) -> Any:
                try:
                    return await function(*positional, **named)
                except Exception as error:
                    self._report(error, self._event_of(function, positional, named))
                    raise
        else:

            @functools.wraps(function)
            def guarded(*positional: Any, **named: Any) -> Any:
                try:
                    return function(*positional, **named)
                except Exception as error:
                    self._report(error, self._event_of(function, positional, named))
                    raise

        return guarded  # type: ignore[return-value]

    def __enter__(self) -> guard:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            self._report(error, None if self._event is _NOT_GIVEN else self._event)

    async def __aenter__(self) -> guard:
        return self

    async def __aexit__(self, *raised: Any) -> None:
        self.__exit__(*raised)

    def _report(self, error: Exception, event: Any) -> None:
        from . import report

        if getattr(error, "__dlq_reported__", False):
            return
        key: Any = self._key
        try:
            if callable(key):
                key = key(event)
        except Exception:
            key = None  # without a key it is an event of its own
        report(error, event, key=key, **self._more)

    def _event_of(
        self, function: Callable[..., Any], positional: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        if self._event is not _NOT_GIVEN:
            return self._event
        try:
            given = dict(inspect.signature(function).bind(*positional, **named).arguments)
        except (TypeError, ValueError):
            return {"args": positional, **named}
        given.pop("self", None)
        return next(iter(given.values())) if len(given) == 1 else given
