"""Purge: closed dead letters are deleted for ever, with every copy of their texts (``forgetting.sql``).

Only DISCARDED and SUCCEEDED ones. The audit log keeps the number and a SHA-256 over ``id:version`` of the
deleted ones, in the order of the ids and with commas between: a copy of the list proves what was deleted.
"""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.core.lifecycle.states import PURGEABLE, DeadLetterStatus
from dlqconsole.features import all_about
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations.kinds.base import ALWAYS, CLOSED_TABS, Kind
from dlqconsole.operations.pages.work import CountsAsChanged
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.sentences import Sentence, stored


class Purge(Kind):
    name = "purge"
    label = gettext_lazy("Purge")
    icon = "trash"
    tone = "danger"
    brief = gettext_lazy("delete for ever")
    explains = gettext_lazy(
        "They are deleted for ever, with their payloads and attempts, and their words in"
        " receipts and archived messages. The audit log keeps that it happened."
    )
    past = gettext_lazy(stored("purged"))
    does = "deletes for ever"

    takes = PURGEABLE
    statement = sql("purging.page").replace("{forgotten}", all_about())
    counts_as_changed = CountsAsChanged.ANYTHING
    typed_count = ALWAYS
    deletes = True

    rank = 80
    more_on = CLOSED_TABS

    def refusal(self, status: DeadLetterStatus) -> str:
        why = stored("is not closed: it is {status}, and only what is DISCARDED or SUCCEEDED can be purged")
        return Sentence(why, status=status)

    def is_grave(self, options: Mapping[str, Any]) -> bool:
        return True

    def why_approval(self, options: Mapping[str, Any]) -> str:
        return _("what is purged is gone for ever")
