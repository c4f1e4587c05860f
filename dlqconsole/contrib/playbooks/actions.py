"""The actions of people on playbooks: the verbs of `manage.py playbooks`, and those of the pages."""

from dlqconsole.people.actions import PersonAction

LIST = PersonAction(name="list", help="all of them, those that need a look first", role="viewer")
SHOW = PersonAction(name="show", help="one, with what it did and did not", role="viewer")
RUN = PersonAction(
    name="run", help="what it would do now, and why it does not; it acts by itself", role="viewer"
)
ENABLE = PersonAction(name="enable", help="let it act by itself, for the person whose token this is")
DISABLE = PersonAction(name="disable", help="let it ask for nothing more")

ACTIONS = (LIST, SHOW, RUN, ENABLE, DISABLE)
