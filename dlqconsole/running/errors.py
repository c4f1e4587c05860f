"""The problems of the person at the keyboard, said in one line each."""

from dlqconsole.system.errors import RuntimeProblem


class AlreadyRunning(RuntimeProblem):
    """Another supervisor holds this data directory."""

    exit_status = 1


class DidNotStart(RuntimeProblem):
    """One of our own parts did not come up in time; its log says why."""

    exit_status = 1


class CannotWork(RuntimeProblem):
    """One of our own parts was asked something wrong, and would be told so at every start."""
