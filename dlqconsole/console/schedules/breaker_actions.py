"""The actions of people on breakers: the verbs of `manage.py breakers`, and those of the pages."""

from dlqconsole.people.actions import PersonAction

LIST = PersonAction(name="list", help="those that are not closed, or that somebody holds", role="viewer")
HOLD = PersonAction(name="hold", help="keep one open (no handler runs) or closed (they run)")
RESUME = PersonAction(name="resume", help="close one, and hold it no more")

ACTIONS = (LIST, HOLD, RESUME)
