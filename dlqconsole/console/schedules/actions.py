"""The actions of people on the schedule and on breakers: verbs of commands, and of the pages."""

from dlqconsole.people.actions import PersonAction
from dlqconsole.retries.policies.fields import ON_COMMAND_LINE, SCOPE, UNTIL

SHOW = PersonAction(
    name="show",
    help="what is due, when it runs, each policy with the values that count, and why the rest waits",
    role="viewer",
)
PREVIEW = PersonAction(
    name="preview",
    help="one policy: the next five runs, and what it touches; with options, as if it were kept so",
    role="viewer",
    fields=(*SCOPE, *ON_COMMAND_LINE),
)
SET = PersonAction(
    name="set",
    help="keep a policy, new or changed; what is not given stays as it is",
    role="maintainer",
    fields=(*SCOPE, *ON_COMMAND_LINE),
)
DELETE = PersonAction(
    name="delete",
    help="remove a policy: what it said comes from the next less specific one",
    role="maintainer",
    fields=SCOPE,
)
PAUSE = PersonAction(
    name="pause",
    help="let the schedule begin nothing of it; without --type or --group: nothing at all",
    fields=(*SCOPE, UNTIL),
)
RESUME = PersonAction(name="resume", help="let the schedule go on with it", fields=SCOPE)
RUN = PersonAction(name="run", help="ask the workers for a run now")

ACTIONS = (SHOW, PREVIEW, SET, DELETE, PAUSE, RESUME, RUN)

LIST_BREAKERS = PersonAction(
    name="list", help="those that are not closed, or that somebody holds", role="viewer"
)
HOLD_BREAKER = PersonAction(name="hold", help="keep one open (no handler runs) or closed (they run)")
RESUME_BREAKER = PersonAction(name="resume", help="close one, and hold it no more")

BREAKER_ACTIONS = (LIST_BREAKERS, HOLD_BREAKER, RESUME_BREAKER)
