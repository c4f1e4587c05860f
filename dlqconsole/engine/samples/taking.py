"""What every writer of a success asks: is its input kept as a sample, and as which row."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from dlqconsole.engine import gate
from dlqconsole.engine.database import prepared
from dlqconsole.engine.handling import Handled, Identity
from dlqconsole.engine.named_sql import execute
from dlqconsole.engine.samples.policies import Policies
from dlqconsole.engine.sql import sql
from dlqconsole.processing.outcomes import Succeeded
from dlqconsole.processing.sampling import SampleChoice, Sampler, sample_of

TYPE_LIMIT = 255
policies = Policies()
_sampler = Sampler(lambda event_type: policies.of(event_type[:TYPE_LIMIT]))


class Input(NamedTuple):
    """What a handler was given."""

    payload: str | None
    payload_raw: bytes | None
    was_dead_letter: bool


type Row = tuple[str, str, str, str | None, bytes | None, bool, bool, bool, int]
_COLUMNS = (
    "event_types", "sources", "source_keys", "payloads", "payload_raws", "masked", "healed", "by_rate",
    "stands_for",
)  # fmt: skip


def keep[Held](done: Iterable[tuple[Held, Handled]], input_of: Callable[[Held], Input]) -> None:
    """Keep those that are taken, in the caller's transaction. Without one among them nothing is asked."""
    if rows := taken(done, input_of):
        execute(sql("samples.keep"), columns(rows))


def begin_keep(rows: Sequence[Row]) -> None:
    """Keep these inside ``prepared.together``: they travel with what is sent anyway."""
    if rows:
        prepared.run(sql("samples.keep"), columns(rows))


def taken[Held](done: Iterable[tuple[Held, Handled]], input_of: Callable[[Held], Input]) -> list[Row]:
    """The rows of those that are taken as samples; ``input_of`` is asked for these alone.

    Once a minute the policies are read again.
    """
    if policies.refresh():
        _sampler.redraw_gaps()
    _sampler.renew_minute()
    take, rows = _sampler.take, []
    for held, handled in done:
        if isinstance(handled.outcome, Succeeded) and (chosen := take(handled.identity.event_type)):
            rows.append(_row(handled.identity, input_of(held), chosen))
    return [row for row in rows if row is not None]


def columns(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """The values of ``samples.keep``."""
    return {name: list(column) for name, column in zip(_COLUMNS, zip(*rows, strict=True), strict=True)}


def _row(who: Identity, given: Input, chosen: SampleChoice) -> Row | None:
    """None for what is too large."""
    event_type = who.event_type[:TYPE_LIMIT]
    masker = gate.masker() if policies.of(event_type).is_masked else None
    if (stored := sample_of(given.payload, given.payload_raw, masker)) is None:
        return None
    named = (event_type, who.source, who.source_key)
    kept = (stored.payload, stored.payload_raw, stored.is_masked)
    return *named, *kept, given.was_dead_letter, chosen.by_rate, chosen.stands_for
