"""A comparison as a table to read, or as one JSON object."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from dlqconsole.rehearsals.cases import DEAD_LETTER, SAMPLE
from dlqconsole.rehearsals.comparing import Comparison, Verdict

_SORTS = (DEAD_LETTER, SAMPLE)


def lines(found: Comparison, masked: int, more: int) -> Iterator[str]:
    """The table, what was left out, and some of each by number."""
    yield f"{'':16}{'dead letters':>14}{'samples':>10}"
    for verdict in Verdict:
        numbers = [found.numbers[verdict, sort] for sort in _SORTS]
        yield f"{verdict:16}{numbers[0]:>14,}{numbers[1]:>10,}"
    if masked:
        yield f"{masked:,} masked samples are left out: they are not as they came."
    if more:
        yield f"{more:,} older ones are left out; --limit takes more."
    for verdict in Verdict:
        if examples := found.examples.get(verdict):
            yield f"{verdict}, for example:"
            for each in examples:
                yield f"  {each.sort} {each.id} ({each.event_type}): {each.said}"


def as_object(found: Comparison, masked: int, more: int) -> dict[str, Any]:
    """The same for programs."""
    return {
        "verdicts": {
            str(verdict): {sort: found.numbers[verdict, sort] for sort in _SORTS} for verdict in Verdict
        },
        "masked_samples_left_out": masked,
        "older_left_out": more,
        "examples": {str(verdict): list(map(asdict, found.examples.get(verdict, []))) for verdict in Verdict},
    }
