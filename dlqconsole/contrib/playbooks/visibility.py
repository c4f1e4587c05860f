"""Which playbooks somebody sees who is limited: their own, and those of people who see no more."""

import re

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.contrib.playbooks.principal import principal
from dlqconsole.engine.reach import Reach

_ACTOR = re.compile(r"playbook:([1-9][0-9]{0,17}) for ")


def seen(playbook_id: int, reach: Reach) -> bool:
    """Whether one of that number is there for somebody."""
    row = Playbook.objects.filter(pk=playbook_id).first()
    return row is not None and _is_seen(row, reach)


def visible(playbook_id: int, reach: Reach) -> tuple[bool, bool]:
    """Whether some of it is seen, and whether all of it is: it is seen whole or not at all."""
    is_seen = seen(playbook_id, reach)
    return is_seen, is_seen


def asked_by(actor: str) -> int | None:
    """The number of the playbook that acts under this name; None for everybody else."""
    found = _ACTOR.match(actor)
    return int(found[1]) if found else None


def listed(reach: Reach, **only: object) -> list[Playbook]:
    """All that are seen, those that need a look first, then by name."""
    rows = Playbook.objects.select_related("operation").filter(**only).order_by("name", "pk")
    return sorted((row for row in rows if _is_seen(row, reach)), key=lambda row: not row.look)


def _is_seen(row: Playbook, reach: Reach) -> bool:
    """What it may act on is what the person behind it sees; of who sees nothing any more nobody can tell."""
    if not reach.is_limited:
        return True
    person = principal(row.acts_for)
    return bool(person.reach.scopes) and reach.covers(person.reach)
