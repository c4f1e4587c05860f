"""A wrong value as a sentence shows it."""

LONGEST_SHOWN = 60  # characters


def shortened(value: str) -> str:
    """In quotes, and cut off where it is long."""
    return repr(value if len(value) <= LONGEST_SHOWN else value[:LONGEST_SHOWN] + "…")
