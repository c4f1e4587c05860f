"""The playbooks that a person with a limited scope sees: their own, and those of people who see no more."""

import re

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.principal import principal
from dlqconsole.engine.access_scope import current_access

_ACTOR = re.compile(r"playbook:([1-9][0-9]{0,17}) for ")


def exists(playbook_id: int) -> bool:
    """Tell whether a playbook exists within the scope."""
    row = Playbook.objects.filter(pk=playbook_id).first()
    return row is not None and _is_seen(row)


def visible(playbook_id: int) -> tuple[bool, bool]:
    """Tell whether some of it is visible, and whether all of it is: it is seen whole or not at all."""
    is_visible = exists(playbook_id)
    return is_visible, is_visible


def playbook_of(actor: str) -> int | None:
    """The number of the playbook that this actor is; None for other actors."""
    match = _ACTOR.match(actor)
    return int(match[1]) if match else None


def list_playbooks(**only: object) -> list[Playbook]:
    """The playbooks within the scope: those that need a look first, then by name."""
    rows = Playbook.objects.select_related("operation").filter(**only).order_by("name", "pk")
    return sorted((row for row in rows if _is_seen(row)), key=lambda row: not row.look)


def _is_seen(row: Playbook) -> bool:
    """Tell whether the scope covers that of the person behind a playbook; never if that is empty."""
    access = current_access()
    if not access.is_limited:
        return True
    person = principal(row.acts_for)
    return bool(person.access.scopes) and access.covers(person.access)
