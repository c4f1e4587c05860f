"""What keeps coming back is skipped by a revive of many: the rule, and how many it is about.

Preview, buttons and the canary ask here; the page's statement has the same rule for what it has locked.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet

from dlqconsole.engine.dead_letters import come_backs
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.common_options import COME_BACKS_TOO
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.scope import Rows, Scope


def are_left(kind: Kind, scope: Scope, options: Mapping[str, Any]) -> bool:
    """Whether such ones are skipped: not where somebody asks for them, or for one alone."""
    is_one = isinstance(scope, Rows) and len(scope.ids) == 1
    return kind.leaves_come_backs and not options.get(COME_BACKS_TOO.name) and not is_one


def among(rows: QuerySet[DeadLetter], statuses: Iterable[str]) -> QuerySet[DeadLetter]:
    """Those of the rows, in these states."""
    found: QuerySet[DeadLetter] = rows.filter(come_backs.keeps_coming(), status__in=list(statuses))
    return found


def why() -> str:
    """Why so many of a selection are skipped."""
    times = f"{come_backs.most():,} times or more"
    return f"came back {times}: look at them, edit them, or revive one alone; an option takes them too"
