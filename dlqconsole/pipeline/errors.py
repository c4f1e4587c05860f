"""The problems of the person at the keyboard, said in one sentence each."""


class PipelineProblem(Exception):
    """The job could not do its work: what happened, to which thing, what to do."""

    exit_status = 1


class BadRequest(PipelineProblem):
    """The request cannot be done: a wrong argument or setting."""

    exit_status = 2


class DatabaseAway(PipelineProblem):
    """No connection to PostgreSQL: it may come back."""


class RunIsOver(PipelineProblem):
    """This run was marked as ended while it still worked: it must write nothing more."""


class Stopped(PipelineProblem):
    """A person or the supervisor asked us to stop."""

    exit_status = 130
