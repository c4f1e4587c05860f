"""Restore: take back from the discarded."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.core.lifecycle.states import RESTORABLE, DeadLetterStatus
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.sentences import Sentence, stored


class Restore(Kind):
    name = "restore"
    label = _("Restore")
    icon = "restore"
    tone = "primary"
    brief = _("take back from the discarded")
    explains = _("They become pending again and may be retried by the schedule.")
    past = _(stored("restored"))
    does = "takes back from the discarded"
    undone = "fully"

    takes = RESTORABLE
    statement = sql("pages.move")
    undo_statement = sql("undoing.move")

    rank = 40
    first_on = tuple(map(str, RESTORABLE))
    on_group = True
    on_letter = RESTORABLE
    in_admin = True
    stays_on_list = True

    def refusal(self, status: DeadLetterStatus) -> str:
        return Sentence(stored("is not discarded: it is {status}"), status=status)

    def values(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"target": str(DeadLetterStatus.PENDING)}
