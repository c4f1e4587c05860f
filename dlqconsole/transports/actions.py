"""The actions of people on queues of other systems: the forms of `manage.py attach`."""

from dlqconsole.people.actions import PersonAction
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Field, Switch, WholeNumber

LARGEST = 2**31 - 1


class ColumnNames(Field):
    """A table's names of our columns: ``message=payload,owner=worker``."""

    def read(self, text: str) -> dict[str, str]:
        pairs = [part.strip().partition("=") for part in text.split(",")]
        if not all(name and equals and theirs for name, equals, theirs in pairs):
            raise InvalidInput("Name each column as OURS=THEIRS: --columns message=payload,owner=worker")
        return {name: theirs for name, _equals, theirs in pairs}


ATTACH = PersonAction(
    name="attach",
    help="attach a queue, or change how an attached one is treated",
    role="admin",
    fields=(
        WholeNumber(
            name="max_deliveries", low=1, high=LARGEST, help="a dead letter when read more often (5)"
        ),
        WholeNumber(
            name="lease_seconds", low=1, high=LARGEST, help="how long our consumers hold a message (60)"
        ),
        ColumnNames(
            name="columns",
            metavar="OURS=THEIRS,…",
            help="of a table of your own: its names of the columns id, message, owner, dequeued_time, and of"
            " attempts, headers, created_at where it has them",
        ),
    ),
)
DETACH = PersonAction(
    name="detach",
    help="let go of it; its dead letters stay",
    role="admin",
    fields=(
        Switch(
            name="take_back",
            help="with --detach: do not wait for revived dead letters that are on their way through it",
        ),
    ),
)
HANDLED = PersonAction(
    name="handled",
    help="what was handed over to it has succeeded: its system does not say so itself",
    role="admin",
)
LIST = PersonAction(name="list", help="show what is attached", role="viewer")

ACTIONS = (ATTACH, LIST, DETACH, HANDLED)
