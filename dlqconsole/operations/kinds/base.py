"""The base class of the kinds of operations. Each kind is one file beside this.

``docs/architecture.md`` has the recipe: how to add an operation kind.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.known_handlers import HandlerSet
from dlqconsole.engine.models import DeadLetter
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.items import DEAD_LETTERS, Items
from dlqconsole.operations.models import Fate, Operation
from dlqconsole.operations.options import CANARY, RATE, Option
from dlqconsole.operations.outcomes import MoveOutcomes
from dlqconsole.operations.pages.exporting import ExportFile
from dlqconsole.operations.pages.sheets import Sheet
from dlqconsole.operations.pages.statements import SetPages
from dlqconsole.operations.pages.work import CountsAsChanged, OperationLease, OperationWork, Pages
from dlqconsole.processing.handlers import no_handler_for
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.inputs.sentences import Sentence, stored

# the tabs of the list, by the state they show; "" is the tab of all
TABS = ("", *map(str, DeadLetterStatus))
CLOSED_TABS = (str(DeadLetterStatus.DISCARDED), str(DeadLetterStatus.SUCCEEDED))
OPEN_TABS = tuple(tab for tab in TABS if tab not in CLOSED_TABS)

NEVER, WHOLE_FILTERS, ALWAYS = "never", "whole filters", "always"

_WHY_NOT = {
    DeadLetterStatus.PENDING: Sentence(stored("is PENDING")),
    DeadLetterStatus.EXHAUSTED: Sentence(stored("is EXHAUSTED")),
    DeadLetterStatus.QUARANTINED: Sentence(stored("is QUARANTINED")),
    DeadLetterStatus.RETRYING: Sentence(stored("is being retried just now")),
    DeadLetterStatus.SUCCEEDED: Sentence(stored("has already SUCCEEDED")),
    DeadLetterStatus.REVIVED: Sentence(stored("is already REVIVED")),
    DeadLetterStatus.DISCARDED: Sentence(stored("is DISCARDED: restore it first")),
}


class Kind:
    """A kind of operation. Each subclass in a file of its own, registered in ``kinds``."""

    # --- words. ``label`` is on buttons, ``title`` in sentences
    name = ""
    label = ""
    title = ""
    icon = "succeeded"
    # how its button looks: "", "primary", "danger"; ``key`` presses it
    tone = ""
    key = ""
    # the command line's help, the admin's action: "run the handler again"
    brief = ""
    # for the confirm page
    explains = ""
    # "575 revived", and "ann revived it"
    past = gettext_lazy("done")
    failing = gettext_lazy("failed")
    did = ""
    # "Run the failed 3 again", on the receipt
    again = gettext_lazy("Run the failed")
    # the outcomes of its items in a scope, "that went well", where others say it better
    outcome_words: Mapping[str, str] = {}
    # over the numbers of a receipt
    done_label = gettext_lazy("Done")
    failed_label = gettext_lazy("Failed")
    # the documents' table: what it does, and how it is taken back
    does = ""
    undone = "no"

    # --- the rule: the sort of its items
    items: Items = DEAD_LETTERS
    # the states it takes, and in which it leaves a dead letter (None: as it was)
    takes: tuple[StrEnum, ...] = ()
    leaves: DeadLetterStatus | None = None

    # --- how it goes about it
    options: tuple[Option, ...] = (RATE,)
    # one statement a page (see sql/pages.sql), and the one that takes it back; empty: cannot be taken back
    statement = ""
    undo_statement = ""
    # the reason why items could not be taken back, on the receipt
    kept_from_undo = gettext_lazy("changed meanwhile")
    # it runs handlers: dead letters without one are skipped, and why
    runs_handlers = False
    no_handler = gettext_lazy("A retry would skip them all: no schedule worker has a handler for these.")
    no_handler_for_one = gettext_lazy("A retry would skip it: no schedule worker has a handler.")
    # the words for dead letters that a breaker stops, on the confirm page
    stopped_words = ""
    # an undo: it takes back what its source operation did
    takes_back = False
    # it puts messages on queues: their consumers' pace matters
    feeds_queues = False
    # it tries failed events again: it slows down while they fail again (work/pacing.py)
    follows_pace = False
    # the process that runs the handlers keeps the pace, not the worker of the operation
    paces_itself = False
    # it deletes its items: a missing one is done
    deletes = False
    # it skips dead letters that failed repeatedly after revivals, except with the option for
    # them, or one alone (come_backs.py)
    leaves_come_backs = False

    # --- who must agree
    # more than DLQ_FOUR_EYES_ABOVE need a second person
    counts_for_approval = True
    # when the count has to be typed: NEVER, WHOLE_FILTERS, ALWAYS
    typed_count = NEVER

    # the rule for items changed since the freezing: they are skipped, and the approver sees their number
    counts_as_changed = CountsAsChanged.STATE

    # --- where it is offered; ``rank``: further left in a bar is lower
    rank = 50
    first_on: tuple[str, ...] = ()
    more_on: tuple[str, ...] = ()
    on_group = False
    # on a dead letter's page, in these states
    on_letter: tuple[DeadLetterStatus, ...] = ()
    in_admin = False
    # a standing rule may do it by itself, on dead letters in these states; none: it may not
    unattended: tuple[DeadLetterStatus, ...] = ()
    # people request it directly; an undo is offered on a receipt only
    asked_for = True
    # over in a moment and fully taken back: who asks on the list stays there
    stays_on_list = False
    # it asks for more than a reason: "Edit…"
    asks_more = False
    # the receipt shows the outcomes of the items, or has a file
    shows_move_outcomes = False
    # a card of its own tells the reasons of the outcomes
    reasons_on_card = False
    has_file = False
    # the role that may take its file, if it is one's own
    file_role = "operator"

    def __init_subclass__(cls) -> None:
        cls.title = cls.__dict__.get("title", cls.label)
        cls.did = cls.__dict__.get("did", cls.past)

    def __str__(self) -> str:
        return self.name

    # --- eligibility

    def eligible(self) -> list[str]:
        """The states from which it moves an item."""
        return [str(status) for status in self.takes]

    def refusal(self, status: Any) -> str:
        """The reason why an item in this state is skipped: ``This dead letter …``."""
        return _WHY_NOT[status]

    def why_not(self) -> dict[str, str]:
        """The reason for every state that it does not take."""
        others = (status for status in self.items.statuses if status not in self.takes)
        return {str(status): self.refusal(status) for status in others}

    def count(self, by_status: Mapping[str, int]) -> int:
        """Count the items that it acts on: the number on its button."""
        return sum(by_status.get(status, 0) for status in self.eligible())

    def can_run(self, handlers: HandlerSet) -> frozenset[str]:
        """The event types whose handlers it runs, of those that workers have."""
        return handlers.event_types

    def why_not_run(self, event_type: str, handlers: HandlerSet) -> str:
        """The reason why it does not run the handler of another type."""
        return no_handler_for(event_type)

    def why_not_run_others(self, type_count: int) -> str:
        """The same for so many further types together."""
        return Sentence("no handler is declared for {type_count:,} other event types", type_count=type_count)

    def count_without_handler(self, count: Count) -> int:
        """Count those that it skips because nobody has a handler for them."""
        return count.unhandled if self.runs_handlers else 0

    # --- options

    @property
    def can_be_undone(self) -> bool:
        return bool(self.undo_statement)

    @property
    def option_names(self) -> set[str]:
        return {option.name for option in self.options}

    @property
    def offers_canary(self) -> bool:
        return CANARY.name in self.option_names

    def read(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Read and check all options; missing ones get their defaults. Raises OperationRefused.

        An option that names anything outside the scope is refused as unknown.
        """
        if unknown := sorted(values.keys() - self.option_names):
            raise OperationRefused(
                _("{title} has no parameter {parameter}.").format(
                    title=self.title, parameter=quoted(unknown[0])
                )
            )
        options = {option.name: option.read_for(option.raw_value(values)) for option in self.options}
        return self.reconcile(options)

    def reconcile(self, options: dict[str, Any]) -> dict[str, Any]:
        """Adjust the options to each other."""
        return options

    def check_typed(self, options: Mapping[str, Any]) -> None:
        """Refuse typed options that ``reconcile`` would drop. Raises ValueError with a sentence."""

    def stored_options(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The options stored in an operation's row; its rate is a column."""
        values = {option.name: option.raw_value(parameters) for option in self.options if option is not RATE}
        return {name: value for name, value in values.items() if value is not None}

    def words(self, options: Mapping[str, Any]) -> list[str]:
        """The options as sentences for people, those that differ from the default."""
        last = sorted(self.options, key=lambda option: option is RATE)
        sentences = [option.words(options[option.name]) for option in last if option.name in options]
        return [sentence for sentence in sentences if sentence]

    # --- work

    def values(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The values of its statement, beside those that all kinds share."""
        return {}

    def pages(self, work: OperationWork) -> Pages:
        """The pages that do the work."""
        return SetPages(work, self.statement, self.values(work.lease.options), self.items)

    def sheet(self, options: Mapping[str, Any], rows: QuerySet[DeadLetter], cutoff: int) -> Sheet:
        """The content of its file: of the selected dead letters, or of other rows up to the cutoff."""
        raise NotImplementedError

    def undo_pages(self, work: OperationWork, options: Mapping[str, Any]) -> Pages:
        """The pages of an undo that takes back such an operation, done with these options."""
        return SetPages(work, self.undo_statement, self.values(options) | {"taken": self.eligible()})

    def runs_on_spark(self, options: Mapping[str, Any]) -> bool:
        """Tell whether a process of the pipeline works on its items."""
        return False

    def longest_step(self) -> float:
        """The seconds in which a worker may not be able to extend its lease."""
        return 0.0

    def let_go(self) -> None:
        """Let go of what it keeps from slice to slice, once that is idle. Called now and then."""

    def before_rest(self) -> None:
        """Act before a rest, when the remaining items are locked or in another worker's hands."""

    def on_completed(self, lease: OperationLease) -> None:
        """Act when the last item is settled."""

    # --- approval

    def is_grave(self, options: Mapping[str, Any]) -> bool:
        """Tell whether it needs a second person however few items it has."""
        return False

    def why_approval(self, options: Mapping[str, Any]) -> str:
        """The reason why a second person has to approve, behind a colon."""
        return _("these are more than {most:,}").format(most=settings.DLQ_FOUR_EYES_ABOVE)

    # --- receipt

    def outcomes_so_far(self, operation_id: int, done_count: int, failed_count: int) -> MoveOutcomes:
        """The outcomes of the moved items by now, for the canary; here they are known at once."""
        return MoveOutcomes(failed_again=failed_count, succeeded=done_count)

    def move_outcomes(self, operation: Operation) -> MoveOutcomes | None:
        """The outcomes of the moved items, for a group's memory; None for kinds without any."""
        return None

    def count_takeable(self, operation: Operation) -> int:
        """Count its items that an undo may still take back: the number on the button."""
        return operation.done

    @property
    def failed_fate(self) -> str:
        """The fate of an item that failed again."""
        return Fate.FAILED_AGAIN if self.shows_move_outcomes else Fate.FAILED

    def fate_label(self, fate: str) -> str:
        """The word for what became of an item."""
        own = {Fate.DONE: self.done_label, Fate.FAILED: self.failed_label}
        return str(own.get(Fate(fate), Fate(fate).label))

    def file(self, operation: Operation) -> ExportFile | None:
        """The file of a completed operation; None where there is none, or not yet."""
        return None
