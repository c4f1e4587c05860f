"""Days and times as people type them: 2026-11-21, 2026-11-21T03:00, 2026-11-21 03:00+01:00."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.plain_text import quoted

# 2026-1-5 3:00, but not the fraction of 03:00:07.5
_LONE_DIGIT = re.compile(r"(?<![0-9.,])[0-9](?![0-9])")
_CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})", re.ASCII)
_SPACE_BEFORE_ZONE = re.compile(r"(?<=:[0-9]{2}) +(?=[+\-Z])")


def as_day(text: str) -> date | None:
    """A day of the calendar; None for what is none."""
    return _in_full(text, date.fromisoformat)


def as_moment(text: str) -> datetime | None:
    """A time, or the beginning of a day, in UTC where it says no zone; None for what is none."""
    moment = _in_full(_SPACE_BEFORE_ZONE.sub("", text), datetime.fromisoformat)
    if moment is None:
        return None
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:  # the first and the last day there is, in another zone
        return None


def read_day(text: str, what: str) -> date:
    """A day. Raises InvalidInput, a sentence that begins with ``what``."""
    day = as_day(text)
    if day is None:
        raise InvalidInput(f"{what} is a date such as 2026-11-21; it is {quoted(text)}.")
    return day


def read_clock(text: str, what: str) -> time:
    """An hour and a minute: 22:00, 6:30. Raises InvalidInput, a sentence that begins with ``what``."""
    match = _CLOCK.fullmatch(text)
    if not match or int(match[1]) > 23 or int(match[2]) > 59:
        raise InvalidInput(f"{what} is a time of the day such as 22:00; it is {quoted(text)}.")
    return time(int(match[1]), int(match[2]))


def _in_full[T](text: str, read: Callable[[str], T]) -> T | None:
    """Return what the text says, also where a digit was left out as people do."""
    for spelling in (text, _LONE_DIGIT.sub(r"0\g<0>", text)):
        try:
            return read(spelling)
        except ValueError:
            continue
    return None
