"""What a comparison of handlers can refuse."""


class CannotCompare(ValueError):
    """What was asked for makes no comparison; the message is a sentence for people."""
