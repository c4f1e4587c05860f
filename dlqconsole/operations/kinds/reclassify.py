"""Re-classify: categories and groups anew, by the rules as they are now or as a person says."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.core.lifecycle.states import Category, DeadLetterStatus
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations.kinds.base import TABS, Kind
from dlqconsole.operations.options import RATE, Option
from dlqconsole.operations.pages.work import CountsAsChanged
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.fields import Choice
from dlqconsole.processing.inputs.sentences import stored

TO_CATEGORY = Option(
    field=Choice(
        name="to_category",
        what=gettext_lazy("The category"),
        label=gettext_lazy("Category"),
        help="reclassify to this; else by the rules",
        is_required=False,
        nothing="",
        choices=Category.choices(),
        empty=gettext_lazy("as the rules say"),
    ),
    is_folded=False,
    words=lambda name: _("to {name}").format(name=name) if name else _("by the rules"),
)


class Reclassify(Kind):
    """Dead letters that are locked or being retried wait for the next sweep."""

    name = "reclassify"
    label = gettext_lazy("Re-classify")
    icon = "groups"
    brief = gettext_lazy("ask the rules again")
    explains = gettext_lazy(
        "Each gets another category, and with it perhaps another group. It can be undone."
    )
    past = gettext_lazy(stored("re-classified"))
    does = "asks the rules again, or names the category"
    undone = "fully"

    takes = tuple(status for status in DeadLetterStatus if status != DeadLetterStatus.RETRYING)
    counts_as_changed = CountsAsChanged.PAYLOAD
    options = (RATE, TO_CATEGORY)
    statement = sql("reclassifying.page")
    undo_statement = sql("reclassifying.undo")

    rank = 60
    more_on = TABS
    on_group = True
    in_admin = True
    asks_more = True

    def values(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"category": options.get("to_category", "")}
