"""Conditions that several tables share."""

from django.db.models import Q


def readable(*moments: str) -> Q:
    """psycopg cannot read 'infinity', BC or the year 10000: one such row would break every page."""
    bounds = {f"{name}__gt": "1900-01-01T00:00:00Z" for name in moments}
    bounds |= {f"{name}__lt": "9999-01-01T00:00:00Z" for name in moments}
    return Q(**bounds)
