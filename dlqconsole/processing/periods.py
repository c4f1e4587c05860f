"""Handlers that are called by the clock: ``@periodic`` above ``@handler``."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from .errors import HandlerSetupError
from .handlers import Period, set_period

type Function = Callable[..., Any]


def periodic[F: Function](cron: str, *, timezone: str = "UTC", queue: str = "") -> Callable[[F], F]:
    """Have a message sent for the handler below at each tick of a cron expression, once for the whole fleet.

    ``cron`` has five fields, as Debian's cron has, and its hours are those of ``timezone``. The message goes
    to ``queue``, else to the queue of the event type's name. Raises HandlerSetupError for an expression that
    has no tick, a time zone that is not there, or where no ``@handler`` stands below.
    """
    period = Period(cron, timezone, queue)
    try:
        if len(cron.split()) != 5:
            raise ValueError("it has five fields")
        latest_tick(period, datetime.now(UTC))
    except ModuleNotFoundError as error:
        raise HandlerSetupError(f"@periodic({cron!r}) needs the package cronsim: {error}") from None
    except Exception as error:
        sentence = f"@periodic({cron!r}, timezone={timezone!r}) has no ticks: {error}".removesuffix(": ")
        raise HandlerSetupError(sentence) from None

    def declare(function: F) -> F:
        set_period(function, period)
        return function

    return declare


def latest_tick(period: Period, now: datetime) -> datetime:
    """Return the last tick before this moment, in UTC."""
    return next(_ticks(period, now, reverse=True)).astimezone(UTC)


def next_tick(period: Period, now: datetime) -> datetime:
    """Return the first tick after this moment, in UTC."""
    return next(_ticks(period, now)).astimezone(UTC)


def _ticks(period: Period, now: datetime, *, reverse: bool = False) -> Iterator[datetime]:
    from cronsim import CronSim  # only where there are periodic handlers

    ticks: Iterator[datetime] = CronSim(
        period.cron, now.astimezone(ZoneInfo(period.timezone)), reverse=reverse
    )
    return ticks
