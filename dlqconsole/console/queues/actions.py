"""The actions of people on queues: the verbs of `manage.py queues`, and those of the pages."""

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.engine.queues.policy import POLICY
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.people.actions import PersonAction
from dlqconsole.processing.inputs.fields import WholeNumber
from dlqconsole.transports import registry
from dlqconsole.transports.message_actions import is_browsed
from dlqconsole.transports.queue_overview import is_attached

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
_WHY = {
    "change": _(
        "Its policy is that of {system}. `{program} attach {name} --max-deliveries` changes how often its"
        " messages are tried."
    ),
    "drop": _("It is not ours to drop. `{program} attach {name} --detach` lets go of it."),
}
_NOT_BROWSED = _("Its messages are {system}'s, and cannot be removed one by one: do it over there.")
_PAUSED = _("Paused: what is in flight is finished, nothing more is claimed.")
OTHERS = "Consumers of other programs"
_PAUSED_THERE = _(
    "Paused: nothing more is sent there, and consumers of ours claim nothing. Consumers of other"
    " programs go on."
)


def why_not(action: str, name: str) -> str:
    """The reason why the queue of another system lacks the action; empty if it can be done."""
    if not is_attached(name):
        return ""
    words = _WHY.get(action, "")
    if action in ("purge", "make-due", "delete") and not is_browsed(name):
        words = _NOT_BROWSED
    return words.format(system=system_label(name), name=name, program=PROGRAM)


def system_label(name: str) -> str:
    """The name of the system of an attached queue."""
    return registry.parts(name)[0].label or "its system"


def paused_words(name: str) -> str:
    """The sentence after a pause; for an attached queue with who is not stopped by it."""
    return str(_PAUSED_THERE if is_attached(name) else _PAUSED)
