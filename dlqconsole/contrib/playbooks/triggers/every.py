"""The trigger that fires every so many minutes; times missed in a standstill are made up for once."""

from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.triggers.base import NOTHING, Notice, Options, Trigger
from dlqconsole.engine.moments import MINUTES, moment
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations.options import Option
from dlqconsole.processing.inputs.fields import WholeNumber
from dlqconsole.processing.inputs.sentences import stored

DUE = stored("it was due at {at}, {every_sentence}")


class EveryTrigger(Trigger):
    name = "every"
    label = gettext_lazy("Every so many minutes")
    options = (
        Option(
            field=WholeNumber(
                name="minutes",
                label=gettext_lazy("Minutes"),
                help="every so many minutes, 5 to 10,080",
                what=gettext_lazy("The number of minutes"),
                low=5,
                high=10_080,
                nothing=360,
                is_required=False,
            )
        ),
    )

    def words(self, options: Options) -> str:
        return _(stored("every {minutes:,} minutes")).format(minutes=options["minutes"])

    def start(self, options: Options, now: datetime) -> dict[str, Any]:
        return {"seen_open_at": None, "next_at": now + timedelta(minutes=options["minutes"])}

    def notice(self, row: Playbook, now: datetime) -> Notice:
        if row.next_at is None:
            return Notice(self.start(row.trigger_options, now))
        if now < row.next_at:
            return NOTHING
        return Notice(
            {"next_at": _after(row.next_at, timedelta(minutes=row.trigger_options["minutes"]), now)},
            DUE.format(at=moment(row.next_at, MINUTES), every_sentence=self.words(row.trigger_options)),
        )

    def not_yet(self, row: Playbook) -> str:
        if row.next_at is None:
            return _("Its next time is found within seconds.")
        return _("Its next time is {next_at}.").format(next_at=moment(row.next_at, MINUTES))


def _after(last: datetime, step: timedelta, now: datetime) -> datetime:
    """The next time in step with the last one."""
    return last + step * ((now - last) // step + 1)
