"""Undo: take another operation back. People request it on that operation's receipt."""

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.pages.work import CountsAsChanged
from dlqconsole.processing.inputs.sentences import stored


class Undo(Kind):
    """Its pages are those of the kind that it takes back: see ``workers.pages_of``."""

    name = "undo"
    label = _("Undo")
    icon = "restore"
    brief = _("take another operation back")
    past = _("taken back")
    did = stored("took back an operation on")
    does = "takes another operation back"

    # the items of the other operation decide
    takes = tuple(DeadLetterStatus)
    takes_back = True
    # each statement checks itself that an item is as the other operation left it
    counts_as_changed = CountsAsChanged.PAYLOAD
    # going back must not wait for anybody
    counts_for_approval = False
    asked_for = False
