"""The rule that a revive of many skips dead letters that keep coming back.

Preview, buttons and the canary use it; the page's statement has the same rule for the rows that it locked.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet

from dlqconsole.core.dead_letters import relapses
from dlqconsole.engine.dead_letters import come_backs
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.common_options import COME_BACKS_TOO
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.scope import Rows, Scope


def are_left(kind: Kind, scope: Scope, options: Mapping[str, Any]) -> bool:
    """Tell whether these are skipped: not with the option to include them, nor for one dead letter alone."""
    is_one = isinstance(scope, Rows) and len(scope.ids) == 1
    return kind.leaves_come_backs and not options.get(COME_BACKS_TOO.name) and not is_one


def among(rows: QuerySet[DeadLetter], statuses: Iterable[str]) -> QuerySet[DeadLetter]:
    """The rows in these states that keep coming back."""
    letters: QuerySet[DeadLetter] = rows.filter(come_backs.keeps_coming(), status__in=list(statuses))
    return letters


def why() -> str:
    """The reason why these are skipped."""
    times = f"{relapses.most():,} times or more"
    return f"came back {times}: look at them, edit them, or revive one alone; an option takes them too"
