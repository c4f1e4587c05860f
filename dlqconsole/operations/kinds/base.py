"""What a kind of operation says about itself. One file a kind; everybody else asks these questions.

``docs/architecture.md`` has the recipe: how to add an operation kind.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db.models import TextChoices

from dlqconsole.engine.known_handlers import HandlerSet
from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.reach import Reach
from dlqconsole.operations.changes import CountsAsChanged
from dlqconsole.operations.common_options import CANARY, RATE
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.export_files import ExportFile
from dlqconsole.operations.fate import Fate
from dlqconsole.operations.items import DEAD_LETTERS, Items
from dlqconsole.operations.models import Operation
from dlqconsole.operations.options import Option
from dlqconsole.operations.pages import SetPages
from dlqconsole.operations.work import Held, Pages, Work
from dlqconsole.processing.handlers import no_handler_for
from dlqconsole.processing.inputs.plain_text import quoted

# the tabs of the list, by the state they show; "" is the tab of all
TABS = ("", *map(str, DeadLetterStatus))
CLOSED_TABS = (str(DeadLetterStatus.DISCARDED), str(DeadLetterStatus.SUCCEEDED))
OPEN_TABS = tuple(tab for tab in TABS if tab not in CLOSED_TABS)

NEVER, WHOLE_FILTERS, ALWAYS = "never", "whole filters", "always"

_WHY_NOT = {
    DeadLetterStatus.PENDING: "is PENDING",
    DeadLetterStatus.EXHAUSTED: "is EXHAUSTED",
    DeadLetterStatus.QUARANTINED: "is QUARANTINED",
    DeadLetterStatus.RETRYING: "is being retried just now",
    DeadLetterStatus.SUCCEEDED: "has already SUCCEEDED",
    DeadLetterStatus.REVIVED: "is already REVIVED",
    DeadLetterStatus.DISCARDED: "is DISCARDED: restore it first",
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
    # on the page on which it is confirmed
    explains = ""
    # "575 revived", and "ann revived it"
    past = "done"
    failing = "failed"
    did = ""
    # over the numbers of a receipt
    done_label = "Done"
    failed_label = "Failed"
    # the documents' table: what it does, and how it is taken back
    does = ""
    undone = "no"

    # --- the rule: what its items are
    items: Items = DEAD_LETTERS
    # the states it takes, and in which it leaves a dead letter (None: as it was)
    takes: tuple[TextChoices, ...] = ()
    leaves: DeadLetterStatus | None = None

    # --- how it goes about it
    options: tuple[Option, ...] = (RATE,)
    # one statement a page (see sql/pages.sql), and the one that takes it back; empty: cannot be taken back
    statement = ""
    undo_statement = ""
    # what kept items from being taken back, on the receipt
    kept_from_undo = "changed meanwhile"
    # it runs handlers: what has none is skipped
    runs_handlers = False
    # only to see what they would do
    rehearses = False
    # what becomes of what a breaker stops, on the confirm page
    stopped_words = ""
    # an undo: it takes back what its source operation did
    takes_back = False
    # it puts messages on queues: their consumers' pace matters
    feeds_queues = False
    # it tries failed events again: it slows down while they come back (pacing.py)
    follows_pace = False
    # the process that runs the handlers asks for the pace, and not the worker of the operation
    paces_itself = False
    # nothing is left of what it did: an item that is gone is done
    deletes = False
    # it skips what keeps coming back, unless somebody asks for that, or for one alone (come_backs.py)
    leaves_come_backs = False

    # --- who must agree
    # more than DLQ_FOUR_EYES_ABOVE need a second person
    counts_for_approval = True
    # when the count has to be typed: NEVER, WHOLE_FILTERS, ALWAYS
    typed_count = NEVER

    # what counts as changed since it was frozen: it is skipped, and who approves is told how many
    counts_as_changed = CountsAsChanged.STATE

    # --- where it is offered; ``rank``: further left in a bar is lower
    rank = 50
    first_on: tuple[str, ...] = ()
    more_on: tuple[str, ...] = ()
    on_group = False
    # on a dead letter's page, in these states
    on_letter: tuple[DeadLetterStatus, ...] = ()
    in_admin = False
    # a standing rule may ask for it with nobody there, of what is in these states; none: it may not
    unattended: tuple[DeadLetterStatus, ...] = ()
    # it must be asked for by itself: an undo is offered on a receipt only
    asked_for = True
    # it asks for more than a reason: "Edit…"
    asks_more = False
    # the receipt tells what became of the items, or has a file
    shows_fate = False
    has_file = False

    def __init_subclass__(cls) -> None:
        cls.title = cls.__dict__.get("title") or cls.label
        cls.did = cls.__dict__.get("did") or cls.past

    def __str__(self) -> str:
        return self.name

    # --- eligibility

    def eligible(self) -> list[str]:
        """The states from which it moves an item."""
        return [str(status) for status in self.takes]

    def refusal(self, status: Any) -> str:
        """Why an item in this state is skipped: ``This dead letter …``."""
        return _WHY_NOT[status]

    def why_not(self) -> dict[str, str]:
        """For every state that it does not take the reason why."""
        others = (status for status in self.items.statuses if status not in self.takes)
        return {str(status): self.refusal(status) for status in others}

    def count(self, by_status: Mapping[str, int]) -> int:
        """How many of these it acts on: the number on its button."""
        return sum(by_status.get(status, 0) for status in self.eligible())

    def can_run(self, known: HandlerSet) -> frozenset[str]:
        """The event types whose handlers it runs, of those that somebody has."""
        return known.event_types

    def why_not_run(self, event_type: str, known: HandlerSet) -> str:
        """Why it does not run the handler of a type that is none of these."""
        return no_handler_for(event_type)

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

    def read(self, given: Mapping[str, Any], reach: Reach) -> dict[str, Any]:
        """All options, checked, with defaults for what is not given. Raises OperationRefused.

        ``reach``: what somebody sees who gives them; what else they name was never there.
        """
        known = {name for option in self.options for name in (*option.names, getattr(option, "opposite", ""))}
        if unknown := sorted(given.keys() - known):
            raise OperationRefused(f"{self.title} has no parameter {quoted(unknown[0])}.")
        read = {option.name: option.read_for(option.given(given), reach) for option in self.options}
        return self.agreed(read)

    def agreed(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options as they go together."""
        return options

    def check_typed(self, typed: Mapping[str, Any]) -> None:
        """Refuse what somebody typed and ``agreed`` would leave out. Raises ValueError with a sentence."""

    def stored(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The options that an operation's row keeps, under whatever former names; its rate is a column."""
        values = {option.name: option.given(parameters) for option in self.options if option is not RATE}
        return {name: value for name, value in values.items() if value is not None}

    def words(self, options: Mapping[str, Any]) -> list[str]:
        """The options as sentences for people, those that differ from the usual."""
        last = sorted(self.options, key=lambda option: option is RATE)
        said = [option.words(options[option.name]) for option in last if option.name in options]
        return [sentence for sentence in said if sentence]

    # --- work

    def values(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """What its statement shows beside what all share."""
        return {}

    def pages(self, work: Work) -> Pages:
        """The pages that do the work."""
        return SetPages(work, self.statement, self.values(work.held.options), self.items)

    def undo_pages(self, work: Work, options: Mapping[str, Any]) -> Pages:
        """The pages of an undo that takes back such an operation, done with these options."""
        return SetPages(work, self.undo_statement, self.values(options) | {"taken": self.eligible()})

    def runs_on_spark(self, options: Mapping[str, Any]) -> bool:
        """Whether a process of the pipeline works on its items."""
        return False

    def longest_step(self) -> float:
        """The seconds in which a worker may not be able to extend its lease."""
        return 0.0

    def before_rest(self) -> None:
        """What remains is locked, or in another worker's hands: what can be done about it."""

    def completed(self, held: Held) -> None:
        """The last item is settled."""

    # --- approval

    def is_grave(self, options: Mapping[str, Any]) -> bool:
        """Whether it needs a second person however few items it has."""
        return False

    def why_approval(self, options: Mapping[str, Any]) -> str:
        """Why a second person has to approve, behind a colon."""
        return f"these are more than {settings.DLQ_FOUR_EYES_ABOVE:,}"

    # --- receipt

    def became(self, operation_id: int, done: int, failed: int) -> Fate:
        """What became of what was moved by now, for the canary; here it is known at once."""
        return Fate(came_back=failed, stayed_away=done)

    def fate(self, operation: Operation) -> Fate | None:
        """What became of what was moved, for a group's memory; None where nothing can."""
        return None

    def file(self, operation: Operation) -> ExportFile | None:
        """The file that it left; None where there is none, or not yet."""
        return None
