"""Lengths of time as people say them."""

_STEPS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def duration(seconds: float) -> str:
    """The largest unit that fits: ``3 h``."""
    for size, unit in _STEPS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return "0 s"


def duration_in_two(seconds: float) -> str:
    """The two largest units that fit: ``1 h 58 min``, of which ``1 h`` would be only half the truth."""
    rest, parts = round(seconds), list[str]()
    for size, unit in _STEPS:
        number, rest = divmod(rest, size)
        if number:
            parts.append(f"{number:,} {unit}")
        elif parts:
            break
    return " ".join(parts[:2]) or "0 s"
