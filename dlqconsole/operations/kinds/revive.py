"""Revive: put each back on its queue of origin, or on another."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.core.errors import InvalidQueue
from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.core.lifecycle.states import HEALING, REVIVABLE, DeadLetterStatus
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.queues.known import check_usable_name
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.operations import outcomes, passed
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import OPEN_TABS, Kind
from dlqconsole.operations.models import Operation
from dlqconsole.operations.options import CANARY, COME_BACKS_TOO, FULL_SPEED, RATE, Option
from dlqconsole.operations.outcomes import MoveOutcomes
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Switch, Text, WholeNumber
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.inputs.sentences import Sentence, stored

LONGEST_UNDO = 86_400
# the undo window that the console proposes, in seconds
USUAL_UNDO = 30
_LONGEST_QUEUE = 255  # plain SQL may have named it so


def _check_own_queue(name: str) -> str:
    if ":" in name:
        raise InvalidInput(
            Sentence(
                "{name} is a queue of another system; revive to a queue of this database.",
                name=quoted(name, 60),
            )
        )
    return name


def _check_queue(name: str) -> None:
    """Refuse a queue outside the scope alike, existing or not. Raises OperationRefused."""
    access = current_access()
    if not name:
        return
    if not access.names_queue(name):
        raise OperationRefused(
            _("The queue {name} lies outside your scope ({words}).").format(
                name=quoted(name), words=access.words()
            )
        )
    try:
        check_usable_name(name)
    except InvalidQueue as refusal:
        raise OperationRefused(translated(refusal)) from refusal


UNDO_SECONDS = Option(
    field=WholeNumber(
        name="undo_seconds",
        what=gettext_lazy("The undo window, in seconds,"),
        label=gettext_lazy("Undo window, in seconds"),
        hint=gettext_lazy("No consumer gets them before; it begins when all are done."),
        help="hold revived messages back so long (0)",
        metavar="SECONDS",
        is_required=False,
        nothing=0,
        proposal=USUAL_UNDO,
        high=LONGEST_UNDO,
    ),
    words=lambda seconds: _("held back for {seconds:,} s").format(seconds=seconds) if seconds else "",
)
TO_QUEUE = Option(
    field=Text(
        name="to_queue",
        what=gettext_lazy("The queue"),
        label=gettext_lazy("To the queue"),
        help="revive to this queue, not to the origin",
        placeholder=gettext_lazy("each one's origin"),
        metavar="NAME",
        is_required=False,
        limit=_LONGEST_QUEUE,
        rule=_check_own_queue,
    ),
    words=lambda name: _("to the queue {name}").format(name=name) if name else "",
    check_seen=_check_queue,
)
NO_ORDER = Option(
    field=Switch(
        name="no_order",
        label=gettext_lazy("Do not keep the order within a group key"),
        help="do not keep the order of message groups",
    ),
    words=lambda is_on: _("without the order of their groups") if is_on else "",
)


WITHOUT_UNDO = gettext_lazy(
    "Its messages are taken at once, so that they tell something: there is no undo window."
)


class Revive(Kind):
    name = "revive"
    label = gettext_lazy("Revive")
    icon = "revived"
    tone = "primary"
    key = "r"
    brief = gettext_lazy("put back on the queue")
    explains = gettext_lazy(
        "Each is put back on its queue of origin, once. Items that changed meanwhile are"
        " skipped, with the reason."
    )
    past = gettext_lazy(stored("revived"))
    does = "puts each back on its queue of origin, or on another"
    undone = "what no consumer has taken"

    takes = REVIVABLE
    leaves = DeadLetterStatus.REVIVED
    options = (
        RATE,
        UNDO_SECONDS,
        TO_QUEUE,
        NO_ORDER,
        *passed.OPTIONS,
        COME_BACKS_TOO,
        FULL_SPEED,
        replace(CANARY, field=replace(CANARY.field, hint=WITHOUT_UNDO)),
    )
    statement = sql("pages.revive")
    undo_statement = sql("undoing.revive")
    kept_from_undo = gettext_lazy("already taken")
    feeds_queues = True
    leaves_come_backs = True
    follows_pace = True

    rank = 10
    first_on = OPEN_TABS
    on_group = True
    on_letter = tuple(DeadLetterStatus)
    in_admin = True
    unattended = HEALING
    shows_move_outcomes = True

    def reconcile(self, options: dict[str, Any]) -> dict[str, Any]:
        """Drop the undo window of a canary: messages that it holds back have no outcome."""
        return options | {"undo_seconds": 0} if options["canary"] else options

    def check_typed(self, options: Mapping[str, Any]) -> None:
        if options.get("canary") and UNDO_SECONDS.read(options.get("undo_seconds")):
            raise ValueError("--undo-seconds with --canary: leave one of them out. " + WITHOUT_UNDO)

    def values(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "queue": options.get("to_queue", ""),
            "keep_order": not options.get("no_order"),
            "held_back": bool(options.get("undo_seconds")),
            "come_backs_too": bool(options.get(COME_BACKS_TOO.name)),
            **retry_limits.come_back_values(),
        }

    def outcomes_so_far(self, operation_id: int, done_count: int, failed_count: int) -> MoveOutcomes:
        """The outcomes of the revived messages, as their consumers decide them one by one."""
        return outcomes.of_revived_items(operation_id)

    def count_takeable(self, operation: Operation) -> int:
        return outcomes.count_takeable(operation)

    def move_outcomes(self, operation: Operation) -> MoveOutcomes:
        return outcomes.of_revival(operation)
