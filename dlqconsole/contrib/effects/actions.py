"""The actions of people on the ledger: the verbs of `manage.py effects`."""

from dlqconsole.people.actions import PersonAction

LIST = PersonAction(name="list", help="the effects that are unknown, the oldest first", role="viewer")
DONE = PersonAction(name="done", help="an unknown effect was done: who comes next skips it")
NOT_DONE = PersonAction(name="not-done", help="an unknown effect was not done: who comes next does it")

ACTIONS = (LIST, DONE, NOT_DONE)
