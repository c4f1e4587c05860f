"""The actions of people on samples: the verbs of `manage.py samples`, and the values that they take."""

from dlqconsole.people.actions import PersonAction
from dlqconsole.processing.inputs.fields import Text, WholeNumber, YesNo

TYPE_LIMIT = 255
POLICY = (
    WholeNumber(
        name="one_in",
        what="One in how many",
        high=1_000_000,
        is_required=False,
        empty_word="usual",
        help="one success in so many is kept; 0: none",
    ),
    YesNo(name="masked", is_required=False, empty_word="usual", help="whether samples are kept masked"),
)
SELECTION = (
    Text(name="event_type", limit=TYPE_LIMIT, flags=("--type",), help="all of an event type"),
    Text(name="source", limit=1_024, help="all of a source; with --key the one of an event"),
    Text(name="source_key", limit=1_024, flags=("--key",), help="the event's id in its source"),
)

LIST = PersonAction(
    name="list", help="how many there are of each type, and how each is sampled", role="viewer"
)
SET = PersonAction(
    name="set",
    help="how an event type is sampled from now on. What you leave out stays; usual: as the settings say",
    role="admin",
    fields=POLICY,
)
ERASE = PersonAction(name="erase", help="delete samples", role="admin", fields=SELECTION)

ACTIONS = (LIST, SET, ERASE)
