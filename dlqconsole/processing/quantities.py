"""Numbers with their nouns, and lengths of time, as people say them."""

from collections.abc import Sequence

from dlqconsole.processing.inputs.sentences import Sentence, gettext_noop, stored

_STEPS = (
    (86_400, gettext_noop("{number:,} d")),
    (3_600, gettext_noop("{number:,} h")),
    (60, gettext_noop("{number:,} min")),
    (1, gettext_noop("{number:,} s")),
)


def duration(seconds: float) -> Sentence:
    """The largest unit that fits: ``3 h``."""
    for size, words in _STEPS:
        if seconds >= size:
            return Sentence(words, number=int(seconds // size))
    return Sentence(_STEPS[-1][1], number=0)


def duration_in_two(seconds: float) -> Sentence:
    """The two largest units that fit: ``1 h 58 min``, of which ``1 h`` would be only half the truth."""
    rest, parts = round(seconds), list[Sentence]()
    for size, words in _STEPS:
        number, rest = divmod(rest, size)
        if number:
            parts.append(Sentence(words, number=number))
        elif parts:
            break
    if len(parts) > 1:
        return Sentence("{larger} {smaller}", larger=parts[0], smaller=parts[1])
    return parts[0] if parts else duration(0)


# of one, and of others
_COUNTED = {
    "rows": (stored("{count:,} row"), stored("{count:,} rows")),
    "days": (stored("{count:,} day"), stored("{count:,} days")),
    "records": (stored("{count:,} record"), stored("{count:,} records")),
    "dead letters": (stored("{count:,} dead letter"), stored("{count:,} dead letters")),
}


def counted(number: int, nouns: str) -> str:
    """``1 day``, ``1,204 days``; ``nouns``: the plural."""
    of_one = f"{{count:,}} {nouns.removesuffix('s')}"
    one, others = _COUNTED.get(nouns, (of_one, f"{{count:,}} {nouns}"))
    return (one if number == 1 else others).format(count=number)


def named(names: Sequence[str], most: int) -> str:
    """``a``, ``a and b``, ``a, b and 1,204 more``; at most so many are named."""
    more = [f"{len(names) - most:,} more"] if len(names) > most else []
    *first, last = [*names[:most], *more]
    return f"{', '.join(first)} and {last}" if first else last
