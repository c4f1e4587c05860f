"""The trigger that fires when more than so many wait: it counts once a minute, and pauses after it fired."""

from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.contrib.playbooks.budget import waiting
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.triggers.base import NOTHING, Notice, Options, Trigger
from dlqconsole.engine.moments import MINUTES, moment
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations.options import Option
from dlqconsole.processing.inputs.fields import WholeNumber
from dlqconsole.processing.inputs.sentences import stored

MORE_WAIT = stored("{number:s} wait, more than {above:,}")

LOOK = timedelta(minutes=1)


class ManyTrigger(Trigger):
    name = "many"
    label = gettext_lazy("When more than so many wait")
    options = (
        Option(
            field=WholeNumber(
                name="above",
                label=gettext_lazy("More than"),
                help="when more than so many wait",
                what=gettext_lazy("The number that may wait"),
                low=0,
                high=1_000_000_000,
                nothing=1000,
                is_required=False,
            )
        ),
        Option(
            field=WholeNumber(
                name="pause",
                label=gettext_lazy("Not again within, in minutes"),
                help="and not again within so many minutes",
                what=gettext_lazy("The pause, in minutes,"),
                low=1,
                high=10_080,
                nothing=60,
                is_required=False,
            )
        ),
    )

    def words(self, options: Options) -> str:
        return _("when more than {above:,} wait, once in {pause:,} minutes at most").format(
            above=options["above"], pause=options["pause"]
        )

    def start(self, options: Options, now: datetime) -> dict[str, Any]:
        return {"seen_open_at": None, "next_at": now}

    def notice(self, row: Playbook, now: datetime) -> Notice:
        if row.next_at is not None and now < row.next_at:
            return NOTHING
        number, above = waiting(row), row.trigger_options["above"]
        if number.value <= above:
            return Notice({"next_at": now + LOOK})
        pause = timedelta(minutes=row.trigger_options["pause"])
        return Notice({"next_at": now + pause}, MORE_WAIT.format(number=str(number), above=above))

    def not_yet(self, row: Playbook) -> str:
        above = _("more than {above:,} wait").format(above=row.trigger_options["above"])
        if row.next_at is None:
            return _("It acts when {above}.").format(above=above)
        return _("It looks at {next_at}, and acts when {above}.").format(
            next_at=moment(row.next_at, MINUTES), above=above
        )
