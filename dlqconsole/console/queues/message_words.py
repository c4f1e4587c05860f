"""The actions that a person may take on a message, and the words for why not."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.console.access.permissions import VIEWERS
from dlqconsole.console.parts.message_place import MessagePlace
from dlqconsole.hosting.wording import format_lazy, gettext_lazy
from dlqconsole.transports.browser import HELD

_NOT_DUE = {
    "pending": gettext_lazy("It is due already."),
    "waiting": gettext_lazy("It stands behind an earlier message of its group."),
    "held": gettext_lazy("It is held back until the undo window of its operation has passed."),
}
_HELD = format_lazy(
    gettext_lazy("It {held}: wait until that one is done with it, or its lease has run out."), held=HELD
)


def about_actions(place: MessagePlace, row: Mapping[str, Any], is_operator: bool) -> list[dict[str, str]]:
    """One entry a button: ``label``, ``icon``, ``url``, ``tone``; ``why`` if it is disabled."""
    number = row["id"]
    refusal = "" if is_operator else VIEWERS
    hold = (
        _HELD
        if row["status"] == "processing" and place.browser.knows_holders and not row["lease_over"]
        else ""
    )
    return [
        {
            "label": _("Make due now"),
            "icon": "right",
            "url": place.url("queue_message_due", number),
            "tone": "",
            "why": refusal or hold or _NOT_DUE.get(row["status"], ""),
        },
        {
            "label": _("Delete"),
            "icon": "trash",
            "url": place.url("queue_message_delete", number),
            "tone": "danger",
            "why": refusal or hold,
        },
    ]


def warning(place: MessagePlace, row: Mapping[str, Any]) -> str:
    """The warning of what could happen twice, where nobody can tell whether a consumer holds the message."""
    if row["status"] != "processing" or place.browser.knows_holders:
        return ""
    return _(
        "It was read and is not visible: a consumer may hold it now, or has put it off. The"
        " consumer may still finish its work with it."
    )
