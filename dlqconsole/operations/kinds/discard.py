"""Discard: set aside, restorable."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.core.lifecycle.states import DISCARDABLE, DeadLetterStatus
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.operations.kinds.base import OPEN_TABS, WHOLE_FILTERS, Kind
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.sentences import Sentence, stored


class Discard(Kind):
    name = "discard"
    label = _("Discard")
    icon = "discarded"
    tone = "danger"
    key = "d"
    brief = _("set aside")
    explains = _("They are set aside. Nothing is deleted: restore them from the Discarded tab, or undo this.")
    past = _(stored("discarded"))
    does = "sets aside"
    undone = "fully"

    takes = DISCARDABLE
    leaves = DeadLetterStatus.DISCARDED
    statement = sql("pages.move")
    undo_statement = sql("undoing.move")
    # nobody has looked at a filter's matches one by one
    typed_count = WHOLE_FILTERS

    rank = 30
    first_on = OPEN_TABS
    on_group = True
    on_letter = tuple(DeadLetterStatus)
    in_admin = True
    stays_on_list = True

    def refusal(self, status: DeadLetterStatus) -> str:
        if status == DeadLetterStatus.DISCARDED:
            return Sentence(stored("is already DISCARDED"))
        return super().refusal(status)

    def values(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"target": str(DeadLetterStatus.DISCARDED)}
