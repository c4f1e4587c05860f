"""Run the handlers of an operation's dead letters only to see what they would do."""

from dlqconsole.runs.jobs.on_an_operation import OnAnOperation


class Rehearse(OnAnOperation):
    name = "rehearse"
    label = "Rehearsal"
    about = "Runs the handlers of an operation's dead letters, and keeps only what they would do."
