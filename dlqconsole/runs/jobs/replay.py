"""The job that runs the handlers of an operation's dead letters."""

from dlqconsole.runs.jobs.base import OperationJob


class ReplayJob(OperationJob):
    name = "replay"
    label = "Replay"
    about = "Runs the handlers of an operation's dead letters, and settles each."
