"""The job that runs the handlers of an operation's dead letters."""

from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.runs.jobs.base import OperationJob


class ReplayJob(OperationJob):
    name = "replay"
    label = _("Replay")
    about = _("Runs the handlers of an operation's dead letters, and settles each.")
