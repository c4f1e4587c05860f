"""The actions of people on the archive: the verbs of `manage.py archive`, and those of the pages."""

from dlqconsole.contrib.archive.finding import KNOWN
from dlqconsole.people.actions import PersonAction
from dlqconsole.processing.inputs.fields import Field, WholeNumber

LISTED = 50
FILTER = tuple(Field(name=name, help=f"the list's filter “{name}”") for name in KNOWN)
_ALL_OF_FILTER = (
    *FILTER,
    WholeNumber(name="expect", help="how many the filter finds: else nothing is changed"),
)

FIND = PersonAction(
    name="find",
    help="those of these numbers, or that the list's filter finds",
    role="viewer",
    fields=(*FILTER, WholeNumber(name="limit", help=f"rows that are listed ({LISTED})")),
)
RESTORE = PersonAction(name="restore", help="take them back into the list", fields=_ALL_OF_FILTER)
ERASE = PersonAction(name="erase", help="erase them for ever", role="admin", fields=_ALL_OF_FILTER)
ADOPT = PersonAction(
    name="adopt",
    help="take the folder that is the right one though its mark is not",
    role="admin",
    fields=(WholeNumber(name="expect", help="how many files the folder lacks: else nothing is changed"),),
)

ACTIONS = (FIND, RESTORE, ERASE, ADOPT)
