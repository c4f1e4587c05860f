"""Moments in words: by the clock of the person who looks at a page, in UTC everywhere else.

And lengths of time in that person's language.
"""

from datetime import datetime, timedelta

from django.utils import timezone

from dlqconsole.hosting.wording import translated
from dlqconsole.processing import quantities

MINUTES = "%Y-%m-%d %H:%M"


def moment(at: datetime, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """``2026-11-22 17:03:00 UTC``, or ``2026-11-22 18:03:00 UTC+1``. ``form``: as strftime has it."""
    here = timezone.localtime(at)
    return f"{here:{form}} {offset(here)}"


def duration(seconds: float) -> str:
    """The largest unit that fits: ``3 h``."""
    return translated(quantities.duration(seconds))


def duration_in_two(seconds: float) -> str:
    """The two largest units that fit: ``1 h 58 min``."""
    return translated(quantities.duration_in_two(seconds))


def offset(here: datetime) -> str:
    """The difference of its zone from UTC: ``UTC``, ``UTC+1``, ``UTC-3:30``."""
    minutes = (here.utcoffset() or timedelta()) // timedelta(minutes=1)
    hours, rest = divmod(abs(minutes), 60)
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{hours}{f':{rest:02}' if rest else ''}" if minutes else "UTC"
