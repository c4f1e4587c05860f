"""The trigger that fires when a breaker that was open is closed."""

from datetime import datetime

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.triggers.base import NOTHING, Notice, Options, Trigger
from dlqconsole.contrib.playbooks.triggers.open_breakers import (
    check_breaker_key,
    check_seen,
    is_seen,
    open_since,
)
from dlqconsole.engine.breakers import LONGEST_KEY
from dlqconsole.operations.options import Option
from dlqconsole.processing.inputs.fields import Text


class BreakerTrigger(Trigger):
    name = "breaker"
    label = "When it answers again"
    options = (
        Option(
            field=Text(
                name="key",
                what="The breaker",
                label="Which",
                hint="A handler's dependency, or an event type, that is left alone while everything fails.",
                help="dependency:NAME or type:EVENT TYPE",
                placeholder="dependency:weather",
                no_value="A breaker is named type:<event type>, dependency:<name> or flood:<event type>.",
                limit=LONGEST_KEY,
                rule=check_breaker_key,
            ),
            check_seen=check_seen,
        ),
    )

    def words(self, options: Options) -> str:
        return f"when {options['key']} answers again"

    def notice(self, row: Playbook, now: datetime) -> Notice:
        """Notice the end of an outage. Its beginning is stored, so a restart sees the same outage."""
        key = row.trigger_options["key"]
        if not is_seen(key):
            return Notice({"seen_open_at": None}) if row.seen_open_at else NOTHING
        opened_at = open_since(key)
        if opened_at is not None:
            return Notice({"seen_open_at": opened_at}) if row.seen_open_at != opened_at else NOTHING
        if row.seen_open_at is None:
            return NOTHING
        why = f"{key} answers again: it had failed since {row.seen_open_at:%Y-%m-%d %H:%M} UTC"
        return Notice({"seen_open_at": None}, why)

    def not_yet(self, row: Playbook) -> str:
        key = row.trigger_options["key"]
        if row.seen_open_at is None:
            return f"{key} has not been seen to fail since it was switched on: there is nothing to wait for."
        return f"{key} fails since {row.seen_open_at:%Y-%m-%d %H:%M} UTC: it waits until it answers again."

    def still(self, row: Playbook) -> str:
        key = row.trigger_options["key"]
        return f"{key} fails again." if open_since(key) else ""
