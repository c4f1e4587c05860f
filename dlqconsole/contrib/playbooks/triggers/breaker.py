"""The trigger that fires when a breaker that was open is closed."""

from contextlib import suppress
from datetime import datetime

from django.utils.translation import gettext as _

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.triggers.base import NOTHING, Notice, Options, Trigger
from dlqconsole.core.errors import InvalidBreaker
from dlqconsole.core.flow.keys import dependency_key
from dlqconsole.core.handling import registry
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.breakers import LONGEST_KEY, check_key, state_of, states, stops_seen, types_of
from dlqconsole.engine.moments import MINUTES, moment
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.options import Option
from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Text
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.inputs.sentences import stored

ANSWERS = stored("{key:s} answers again: it had failed since {since}")


def open_since(key: str) -> datetime | None:
    """The moment since when its handlers do not run, by a machine or a person; None: they run."""
    state = state_of(key)
    return state.since if state is not None and state.blocks else None


def check_breaker_key(text: str) -> str:
    """Check the name of a breaker and return it. Raises InvalidInput."""
    try:
        return check_key(text)
    except InvalidBreaker as refusal:
        raise InvalidInput(translated(refusal)) from refusal


def known_keys() -> list[str]:
    """The open breakers, and those of the dependencies that handlers name, within the scope."""
    keys = {state.key for state in states(quiet=True)}
    with suppress(SetupError):
        handlers = registry()
        dependencies = {name for kind in handlers.event_types for name in handlers.dependencies_of(kind)}
        keys |= {dependency_key(name) for name in dependencies}
    return sorted(key for key in keys if is_seen(key))


def is_seen(key: str) -> bool:
    """Tell whether a breaker stops, as far as reported, an event type within the scope."""
    if not current_access().is_limited:
        return True
    reported_types = [kind for state in states(quiet=True) if state.key == key for kind in state.event_types]
    return stops_seen({*types_of(key), *reported_types})


def check_seen(key: str) -> None:
    """Raise OperationRefused alike for a breaker out of scope and for one that does not exist."""
    if not is_seen(key):
        raise OperationRefused(
            _("There is no breaker {key} that stops what you see: {words}.").format(
                key=quoted(key), words=current_access().words()
            )
        )


class BreakerTrigger(Trigger):
    name = "breaker"
    label = gettext_lazy("When it answers again")
    options = (
        Option(
            field=Text(
                name="key",
                what=gettext_lazy("The breaker"),
                label=gettext_lazy("Which"),
                hint=gettext_lazy(
                    "A handler's dependency, or an event type, that is left alone while everything fails."
                ),
                help="dependency:NAME or type:EVENT TYPE",
                placeholder="dependency:weather",
                no_value=gettext_lazy(
                    "A breaker is named type:<event type>, dependency:<name> or flood:<event type>."
                ),
                limit=LONGEST_KEY,
                rule=check_breaker_key,
            ),
            check_seen=check_seen,
        ),
    )

    def words(self, options: Options) -> str:
        return _("when {key} answers again").format(key=options["key"])

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
        why = ANSWERS.format(key=key, since=moment(row.seen_open_at, MINUTES))
        return Notice({"seen_open_at": None}, why)

    def not_yet(self, row: Playbook) -> str:
        key = row.trigger_options["key"]
        if row.seen_open_at is None:
            return _(
                "{key} has not been seen to fail since it was switched on: there is nothing to wait for."
            ).format(key=key)
        return _("{key} fails since {seen_open_at}: it waits until it answers again.").format(
            key=key, seen_open_at=moment(row.seen_open_at, MINUTES)
        )

    def still(self, row: Playbook) -> str:
        key = row.trigger_options["key"]
        return _(stored("{key:s} fails again.")).format(key=key) if open_since(key) else ""
