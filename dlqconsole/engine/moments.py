"""Moments in words: by the clock of the person who looks at a page, in UTC everywhere else."""

from datetime import datetime, timedelta

from django.utils import timezone

MINUTES = "%Y-%m-%d %H:%M"


def moment(at: datetime, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """``2026-11-22 17:03:00 UTC``, or ``2026-11-22 18:03:00 UTC+1``. ``form``: as strftime has it."""
    here = timezone.localtime(at)
    return f"{here:{form}} {offset(here)}"


def offset(here: datetime) -> str:
    """The difference of its zone from UTC: ``UTC``, ``UTC+1``, ``UTC-3:30``."""
    minutes = (here.utcoffset() or timedelta()) // timedelta(minutes=1)
    hours, rest = divmod(abs(minutes), 60)
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{hours}{f':{rest:02}' if rest else ''}" if minutes else "UTC"
