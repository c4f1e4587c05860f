"""The time zones that a setting, a window or a report may name."""

from functools import cache
from zoneinfo import available_timezones

# what this machine's clock shows, and what one shows that nobody has set
_NO_ZONES = frozenset({"localtime", "Factory"})


@cache
def zones() -> frozenset[str]:
    """The names of all time zones that are the same on every machine."""
    return frozenset({"UTC", *available_timezones()} - _NO_ZONES)
