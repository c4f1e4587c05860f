"""Lengths of time as people say them."""

_STEPS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def duration(seconds: float) -> str:
    """The largest unit that fits: ``3 h``."""
    for size, unit in _STEPS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return "0 s"
