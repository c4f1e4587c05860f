"""Rules of owners: whose a failure group is, unless a person wrote an owner on it.

The view ``failure_group_owners`` asks them, for pages, filters and plain SQL alike.
"""

from collections.abc import Mapping
from typing import Any

from dlqconsole.core.errors import InvalidRule
from dlqconsole.engine.groups.rule_lists import RuleList
from dlqconsole.engine.models import OwnerRule
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.processing.inputs.fields import InvalidValues, Text, read_all

_OPEN: dict[str, Any] = {"limit": 255, "is_required": False, "is_code": True}
CONDITIONS = (
    Text(
        name="event_type",
        what=_("The event type"),
        label=_("Event type"),
        hint=_("flight.*, or *"),
        **_OPEN,
    ),
    Text(name="queue", what=_("The queue"), label=_("Queue"), hint="orders.*", **_OPEN),
    Text(
        name="frame",
        what=_("The frame"),
        label=_("Frame of the trace"),
        hint="billing.py *",
        **_OPEN,
    ),
)
OWNER = Text(
    name="owner",
    what=_("The owner"),
    label=_("Owner"),
    hint=_("A person or a team"),
    limit=100,
    no_value=_("Say whose they are: a person or a team."),
)
OWNER_RULE = (*CONDITIONS, OWNER)


def _read(values: Mapping[str, Any]) -> dict[str, Any]:
    try:
        fields = read_all(OWNER_RULE, {field.name: str(values.get(field.name) or "") for field in OWNER_RULE})
    except InvalidValues as refusal:
        raise InvalidRule([*refusal.problems.values()]) from refusal
    return fields | {"enabled": values.get("enabled") in (True, "yes", "on", "true")}


OWNER_RULES = RuleList(
    model=OwnerRule,
    noun="owner_rule",
    fields=(*(field.name for field in OWNER_RULE), "enabled"),
    read=_read,
    refusals={
        "owner_rules_matches_something": _("Say which groups: an event type (* is all), a queue or a frame."),
        "owner_rules_owner": OWNER.no_value,
    },
)
