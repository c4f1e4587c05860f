"""The trigger that fires when more than so many wait: it counts once a minute, and pauses after it fired."""

from datetime import datetime, timedelta
from typing import Any

from dlqconsole.contrib.playbooks.budget import waiting
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.triggers.base import NOTHING, Notice, Options, Trigger
from dlqconsole.engine.moments import MINUTES, moment
from dlqconsole.operations.options import Option
from dlqconsole.processing.inputs.fields import WholeNumber

LOOK = timedelta(minutes=1)


class ManyTrigger(Trigger):
    name = "many"
    label = "When more than so many wait"
    options = (
        Option(
            field=WholeNumber(
                name="above",
                label="More than",
                help="when more than so many wait",
                what="The number that may wait",
                low=0,
                high=1_000_000_000,
                nothing=1000,
                is_required=False,
            )
        ),
        Option(
            field=WholeNumber(
                name="pause",
                label="Not again within, in minutes",
                help="and not again within so many minutes",
                what="The pause, in minutes,",
                low=1,
                high=10_080,
                nothing=60,
                is_required=False,
            )
        ),
    )

    def words(self, options: Options) -> str:
        return f"when more than {options['above']:,} wait, once in {options['pause']:,} minutes at most"

    def start(self, options: Options, now: datetime) -> dict[str, Any]:
        return {"seen_open_at": None, "next_at": now}

    def notice(self, row: Playbook, now: datetime) -> Notice:
        if row.next_at is not None and now < row.next_at:
            return NOTHING
        number, above = waiting(row), row.trigger_options["above"]
        if number.value <= above:
            return Notice({"next_at": now + LOOK})
        pause = timedelta(minutes=row.trigger_options["pause"])
        return Notice({"next_at": now + pause}, f"{number} wait, more than {above:,}")

    def not_yet(self, row: Playbook) -> str:
        above = f"more than {row.trigger_options['above']:,} wait"
        if row.next_at is None:
            return f"It acts when {above}."
        return f"It looks at {moment(row.next_at, MINUTES)}, and acts when {above}."
