"""Windows in which dead letters may be retried: hours of certain weekdays, by one place's local time.

A window that ends before it begins goes on over midnight, and belongs to the day on which it opens. Where
the clock is put back, an hour that comes twice is in it twice. Where it is put forward, an end that does not
exist is as much later as the clock jumps, and a beginning that does not exist is the jump: none is lost.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from dlqconsole.configuration.time_of_day import zones
from dlqconsole.hosting.wording import gettext_lazy

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY_NAMES = (
    gettext_lazy("Mon"), gettext_lazy("Tue"), gettext_lazy("Wed"), gettext_lazy("Thu"), gettext_lazy("Fri"),
    gettext_lazy("Sat"), gettext_lazy("Sun"),
)  # fmt: skip
_DAY = timedelta(days=1)
# the week before, for what goes on over midnight, and the one to come
_LOOK = range(-2, 9)


@dataclass(frozen=True, slots=True)
class Window:
    """A window. ``days`` of the week: 0 is Monday. Equal begin and end: the whole day."""

    days: frozenset[int]
    begins: time
    ends: time
    zone: str

    def is_open(self, at: datetime) -> bool:
        """Tell whether it is open at a moment."""
        return self._around(at) is not None

    def next_open(self, at: datetime) -> datetime:
        """The moment itself where it is open, else the next one at which it opens. In UTC."""
        if self._around(at) is not None:
            return at.astimezone(UTC)
        return min(opens for opens, _closes in self._openings(at) if opens > at)

    def opens_after(self, at: datetime) -> datetime | None:
        """The next moment at which it opens, whether or not it is open now; None where it always is."""
        return None if self.is_always else min(opens for opens, _closes in self._openings(at) if opens > at)

    def closes(self, at: datetime) -> datetime | None:
        """The moment of its end, if it is open; None where it is closed, or never closes."""
        if self.is_always or (around := self._around(at)) is None:
            return None
        end, goes_on = around[1], True
        while goes_on and end - at < timedelta(days=8):
            # one that begins as the other ends is the same opening
            later = self._around(end)
            goes_on = later is not None
            end = later[1] if later is not None else end
        return end

    @property
    def is_always(self) -> bool:
        """Tell whether it is open at every moment."""
        return len(self.days) == len(DAYS) and self.begins == self.ends

    def words(self) -> str:
        """The window in words: ``Mon to Fri, 22:00 to 06:00, Europe/Berlin``."""
        if self.is_always:
            return _("at any time")
        hours = (
            _("all day")
            if self.begins == self.ends
            else _("{begins:%H:%M} to {ends:%H:%M}").format(begins=self.begins, ends=self.ends)
        )
        if self.begins == self.ends and self.begins != time(0):
            hours = _("{begins:%H:%M} to {ends:%H:%M} of the next day").format(
                begins=self.begins, ends=self.ends
            )
        return f"{days_in_words(self.days)}, {hours}, {self.zone}"

    def _around(self, at: datetime) -> tuple[datetime, datetime] | None:
        return next(((opens, closes) for opens, closes in self._openings(at) if opens <= at < closes), None)

    def _openings(self, at: datetime) -> Iterator[tuple[datetime, datetime]]:
        """The openings of the days around a moment, in UTC."""
        today = at.astimezone(zone_of(self.zone)).date()
        for off in _LOOK:
            day = today + off * _DAY
            if day.weekday() in self.days:
                yield self._opening(day)

    def _opening(self, day: date) -> tuple[datetime, datetime]:
        opens = self._opens(day)
        if self.begins == self.ends:
            return opens, self._opens(day + _DAY)
        last = day if self.begins < self.ends else day + _DAY
        return opens, _moment(datetime.combine(last, self.ends), self.zone, fold=1)

    def _opens(self, day: date) -> datetime:
        local = datetime.combine(day, self.begins)
        opens = _moment(local, self.zone, fold=0)
        return opens if _shows(opens, self.zone) == local else _jump(opens, self.zone)


ALWAYS = Window(frozenset(range(7)), time(0), time(0), "UTC")


def window_columns(window: Window) -> dict[str, object]:
    """The columns of a window."""
    return {
        "window_days": ",".join(DAYS[day] for day in sorted(window.days)),
        "window_begins": window.begins,
        "window_ends": window.ends,
        "window_zone": window.zone,
    }


def is_zone(name: str) -> bool:
    """Tell whether there is such a time zone: ``Europe/Berlin``."""
    return name in zones()


def read_days(text: str) -> frozenset[int]:
    """Read ``mon,tue`` as numbers; other words are ignored."""
    return frozenset(DAYS.index(day) for day in text.split(",") if day in DAYS)


def days_in_words(days: frozenset[int]) -> str:
    """Days in words: ``Mon to Fri, Sun``."""
    runs: list[list[int]] = []
    for day in sorted(days):
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return _("every day") if len(days) == len(DAYS) else ", ".join(_run(run) for run in runs)


def _run(days: list[int]) -> str:
    names = [str(DAY_NAMES[day]) for day in days]
    return (
        _("{first} to {last}").format(first=names[0], last=names[-1]) if len(names) > 2 else ", ".join(names)
    )


def _moment(local: datetime, zone: str, fold: int) -> datetime:
    """The moment when a local clock shows this. ``fold``: which of two, where it shows an hour twice.

    A time that the clock skips is as much later as the clock jumps.
    """
    moment = local.replace(tzinfo=zone_of(zone), fold=fold).astimezone(UTC)
    if _shows(moment, zone) != local:
        moment = local.replace(tzinfo=zone_of(zone), fold=0).astimezone(UTC)
    return moment


def _shows(at: datetime, zone: str) -> datetime:
    return at.astimezone(zone_of(zone)).replace(tzinfo=None)


def _jump(after: datetime, zone: str) -> datetime:
    """The minute at which the clock was put forward, not a day before ``after``."""
    offset, early, late = after.astimezone(zone_of(zone)).utcoffset(), after - _DAY, after
    while late - early > timedelta(minutes=1):
        middle = early + (late - early) / 2
        if middle.astimezone(zone_of(zone)).utcoffset() == offset:
            late = middle
        else:
            early = middle
    return late.replace(second=0, microsecond=0)


@cache
def zone_of(name: str) -> tzinfo:
    """The time zone of that name. UTC needs no data of the machine's."""
    return UTC if name == "UTC" else ZoneInfo(name)
