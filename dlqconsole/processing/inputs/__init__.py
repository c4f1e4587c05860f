"""Strict readers of typed values: one rule for forms, command lines, services and addresses.

A reader returns the value, or raises InvalidInput with the one sentence that a person is shown.
"""


class InvalidInput(ValueError):
    """A typed value that cannot be taken; the sentence says why and what to write instead."""
