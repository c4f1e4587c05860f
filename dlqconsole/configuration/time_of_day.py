"""A time of every day: ``06:00 Europe/Berlin``."""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cache
from typing import Self
from zoneinfo import ZoneInfo, available_timezones

# what this machine's clock shows, and what one shows that nobody has set
_NO_ZONES = frozenset({"localtime", "Factory"})
EXAMPLE = "06:00 Europe/Berlin"
OFF = "off"
_FORM = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?: +(\S+))?")


@cache
def zones() -> frozenset[str]:
    """The names of all time zones that are the same on every machine."""
    return frozenset({"UTC", *available_timezones()} - _NO_ZONES)


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """An hour and a minute where a clock stands."""

    at: time
    zone: ZoneInfo

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read ``06:00 Europe/Berlin`` or ``06:00``, which is UTC; None for ``off``. Raises ValueError."""
        if text.strip().lower() == OFF:
            return None
        match = _FORM.fullmatch(text.strip())
        if not match:
            raise ValueError(f"It is a time of the day like {EXAMPLE}, or {OFF}.")
        return cls(time(int(match[1]), int(match[2])), _zone(match[3] or "UTC"))

    def last_before(self, now: datetime) -> datetime:
        """When it was this time last, in the zone of ``now``."""
        today = now.astimezone(self.zone).date()
        moments = (datetime.combine(today - timedelta(days=back), self.at, self.zone) for back in (0, 1))
        return next(moment for moment in moments if moment <= now).astimezone(now.tzinfo)


def _zone(name: str) -> ZoneInfo:
    if name not in zones():
        raise ValueError(f"There is no timezone {name!r}; one is {EXAMPLE.split()[1]}.")
    return ZoneInfo(name)
