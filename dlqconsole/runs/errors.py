"""What can go wrong for who asks."""


class RunRefused(Exception):
    """A run cannot be asked for so; the sentence says why and what to do."""
