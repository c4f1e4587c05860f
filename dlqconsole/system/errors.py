"""A problem of the person at the keyboard, said in one line."""


class RuntimeProblem(Exception):
    """A problem that a person can put right: what happened, to which thing, what to do."""

    exit_status = 2
