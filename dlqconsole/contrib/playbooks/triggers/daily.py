"""The trigger that fires at a time of the day, in UTC; missed times are made up for once."""

import re
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.triggers.base import NOTHING, Notice, Options, Trigger
from dlqconsole.engine.moments import MINUTES, moment
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations.options import Option
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Text
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.inputs.sentences import stored

DUE = stored("it was due at {at}")

_LONGEST = 200
_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])\Z", re.ASCII)


def _time(text: str) -> str:
    if not _TIME.match(text):
        raise InvalidInput(_("A time of the day is 03:30, in UTC; not {text}.").format(text=quoted(text)))
    return text


class DailyTrigger(Trigger):
    name = "daily"
    label = gettext_lazy("Every day at a time")
    options = (
        Option(
            field=Text(
                name="at",
                what=gettext_lazy("The time"),
                label=gettext_lazy("Time of the day, UTC"),
                help="at this time of the day in UTC",
                placeholder="03:30",
                no_value=gettext_lazy("A time of the day is 03:30, in UTC."),
                limit=_LONGEST,
                rule=_time,
            )
        ),
    )

    def words(self, options: Options) -> str:
        return _("every day at {at} UTC").format(at=options["at"])

    def start(self, options: Options, now: datetime) -> dict[str, Any]:
        return {"seen_open_at": None, "next_at": _next(options["at"], now)}

    def notice(self, row: Playbook, now: datetime) -> Notice:
        at = row.trigger_options["at"]
        if row.next_at is None:
            return Notice(self.start(row.trigger_options, now))
        if now < row.next_at:
            return NOTHING
        return Notice({"next_at": _next(at, now)}, DUE.format(at=moment(row.next_at, MINUTES)))

    def not_yet(self, row: Playbook) -> str:
        if row.next_at is None:
            return _("Its next time is found within seconds.")
        return _("Its next time is {next_at}.").format(next_at=moment(row.next_at, MINUTES))


def _next(at: str, now: datetime) -> datetime:
    hour, minute = map(int, at.split(":"))
    today = datetime.combine(now.astimezone(UTC).date(), time(hour, minute), UTC)
    return today if today > now else today + timedelta(days=1)
