"""The actions of people on queues: the verbs of `manage.py queues`, and those of the pages."""

from dlqconsole.engine.queues.policy import POLICY
from dlqconsole.people.actions import PersonAction
from dlqconsole.processing.inputs.fields import WholeNumber

LIST = PersonAction(name="list", help="every queue: its messages, its dead letters", role="viewer")
SHOW = PersonAction(name="show", help="one queue: its policy, its figures, its last hour", role="viewer")
CREATE = PersonAction(name="create", help="make a queue with a policy", fields=POLICY)
CHANGE = PersonAction(
    name="change",
    help="change a queue's policy",
    fields=(
        *POLICY,
        WholeNumber(name="expect", help="refuse unless --shorten-archived shortens exactly so many"),
    ),
)
PAUSE = PersonAction(name="pause", help="let nobody claim from it")
RESUME = PersonAction(name="resume", help="let consumers go on")
PURGE = PersonAction(
    name="purge",
    help="ask for the operation that removes the messages which are not in flight, and wait for it",
    fields=(
        WholeNumber(
            name="expect",
            help="refuse unless exactly so many would go; approves so many where nobody else can",
        ),
    ),
)
DROP = PersonAction(name="drop", help="remove an empty queue; its dead letters stay", role="admin")
MAKE_DUE = PersonAction(name="make-due", help="make one scheduled message due now")
DELETE = PersonAction(name="delete", help="delete one message that no consumer holds")
BIND = PersonAction(name="bind", help="let it get what is sent to a topic", role="admin")
UNBIND = PersonAction(name="unbind", help="end that; what was sent stays on it", role="admin")

ACTIONS = (LIST, SHOW, CREATE, CHANGE, PAUSE, RESUME, PURGE, DROP, MAKE_DUE, DELETE, BIND, UNBIND)
