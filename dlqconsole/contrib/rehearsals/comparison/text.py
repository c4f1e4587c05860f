"""A comparison as a table to read, or as one JSON object."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from dlqconsole.contrib.rehearsals.comparison.cases import DEAD_LETTER, SAMPLE
from dlqconsole.contrib.rehearsals.comparison.comparing import CaseVerdict, Comparison

_SORTS = (DEAD_LETTER, SAMPLE)


def lines(comparison: Comparison, masked_count: int, more: int) -> Iterator[str]:
    """The table, the numbers that were left out, and some examples of each verdict."""
    yield f"{'':16}{'dead letters':>14}{'samples':>10}"
    for verdict in CaseVerdict:
        numbers = [comparison.numbers[verdict, sort] for sort in _SORTS]
        yield f"{verdict:16}{numbers[0]:>14,}{numbers[1]:>10,}"
    if masked_count:
        yield f"{masked_count:,} masked samples are left out: they are not as they came."
    if more:
        yield f"{more:,} older ones are left out; --limit takes more."
    for verdict in CaseVerdict:
        if examples := comparison.examples.get(verdict):
            yield f"{verdict}, for example:"
            for each in examples:
                yield f"  {each.sort} {each.id} ({each.event_type}): {each.said}"


def as_object(comparison: Comparison, masked_count: int, more: int) -> dict[str, Any]:
    """The same comparison for programs."""
    return {
        "verdicts": {
            str(verdict): {sort: comparison.numbers[verdict, sort] for sort in _SORTS}
            for verdict in CaseVerdict
        },
        "masked_samples_left_out": masked_count,
        "older_left_out": more,
        "examples": {
            str(verdict): list(map(asdict, comparison.examples.get(verdict, []))) for verdict in CaseVerdict
        },
    }
