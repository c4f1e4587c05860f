"""Conditions that several tables share."""

from datetime import timedelta

from django.db.models import DateTimeField, Func, Q
from django.db.models.expressions import Combinable, Value
from django.db.models.functions import Greatest, Least
from django.db.models.lookups import GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual


def readable(*moments: str) -> Q:
    """psycopg cannot read 'infinity', BC or the year 10000: one such row would break every page."""
    bounds = {f"{name}__gt": "1900-01-01T00:00:00Z" for name in moments}
    bounds |= {f"{name}__lt": "9999-01-01T00:00:00Z" for name in moments}
    return Q(**bounds)


def all_readable(*moments: str) -> Q:
    """The same of many moments by two comparisons.

    The server parses the conditions of a table anew for each statement, and that is what they cost.
    """
    return Q(
        GreaterThan(Least(*moments), "1900-01-01T00:00:00Z"),
        LessThan(Greatest(*moments), "9999-01-01T00:00:00Z"),
    )


# What is counted once more, a thousand million times, still fits into an integer.
MOST = 1_000_000_000
# These are small integers, and three is the end.
MOST_CRASHES = 30_000


def at_least(bound: int, *numbers: str) -> Q:
    """None of these numbers is less than that."""
    return Q(GreaterThanOrEqual(Least(*numbers), bound))


def countable(*numbers: str) -> Q:
    """None of these counts is below zero, or so near to the end of integers that counting on would fail."""
    return at_least(0, *numbers) & Q(LessThanOrEqual(Greatest(*numbers), MOST))


def soon(*, hours: int, days: int = 0) -> Combinable:
    """So long from now. What was true when a row was written stays true: the clock only goes on."""
    now = Func(function="clock_timestamp", output_field=DateTimeField())
    return now + Value(timedelta(days=days, hours=hours))
