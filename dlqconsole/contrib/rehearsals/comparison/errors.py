"""The error of a comparison of handlers."""


class CannotCompare(ValueError):
    """The options make no comparison; the message is a sentence for people."""
