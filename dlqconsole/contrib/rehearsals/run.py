"""The job that rehearses an operation: its handlers run, and only their outcomes are stored."""

from dlqconsole.runs.jobs.on_an_operation import OperationJob


class RehearseJob(OperationJob):
    name = "rehearse"
    label = "Rehearsal"
    about = "Runs the handlers of an operation's dead letters, and keeps only what they would do."
