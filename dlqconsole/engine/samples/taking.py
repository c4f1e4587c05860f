"""The samples of successes: which inputs to keep, and their rows. Every writer of a success asks here."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from dlqconsole.engine import gate
from dlqconsole.engine.database import prepared
from dlqconsole.engine.handling import HandlerResult, Identity
from dlqconsole.engine.named_sql import execute
from dlqconsole.engine.samples.policies import SamplePolicies
from dlqconsole.engine.sql import sql
from dlqconsole.processing.outcomes import Succeeded
from dlqconsole.processing.sampling import SampleChoice, Sampler, sample_of

TYPE_LIMIT = 255
policies = SamplePolicies()
_sampler = Sampler(lambda event_type: policies.of(event_type[:TYPE_LIMIT]))


class Input(NamedTuple):
    """A handler's input."""

    payload: str | None
    payload_raw: bytes | None
    was_dead_letter: bool


type Row = tuple[str, str, str, str | None, bytes | None, bool, bool, bool, int]
_COLUMNS = (
    "event_types", "sources", "source_keys", "payloads", "payload_raws", "masked", "healed", "by_rate",
    "stands_for",
)  # fmt: skip


def keep[Item](completions: Iterable[tuple[Item, HandlerResult]], input_of: Callable[[Item], Input]) -> None:
    """Keep the sampled inputs, in the caller's transaction. Without samples no statement runs."""
    if rows := sample_rows(completions, input_of):
        execute(sql("samples.keep"), columns(rows))


def begin_keep(rows: Sequence[Row]) -> None:
    """Keep these inside ``prepared.pipeline``: they travel with the other statements."""
    if rows:
        prepared.run(sql("samples.keep"), columns(rows))


def sample_rows[Item](
    completions: Iterable[tuple[Item, HandlerResult]], input_of: Callable[[Item], Input]
) -> list[Row]:
    """Return the rows of sampled successes; ``input_of`` is called for these alone.

    Once a minute the policies are read again.
    """
    if policies.refresh():
        _sampler.redraw_gaps()
    _sampler.renew_minute()
    take, rows = _sampler.take, []
    for item, result in completions:
        if isinstance(result.outcome, Succeeded) and (choice := take(result.identity.event_type)):
            rows.append(_row(result.identity, input_of(item), choice))
    return [row for row in rows if row is not None]


def columns(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Return the parameters of ``samples.keep``."""
    return {name: list(column) for name, column in zip(_COLUMNS, zip(*rows, strict=True), strict=True)}


def _row(who: Identity, event_input: Input, choice: SampleChoice) -> Row | None:
    """Return a sample's row; None for an input that is too large."""
    event_type = who.event_type[:TYPE_LIMIT]
    masker = gate.masker() if policies.of(event_type).is_masked else None
    if (sample := sample_of(event_input.payload, event_input.payload_raw, masker)) is None:
        return None
    names = (event_type, who.source, who.source_key)
    content = (sample.payload, sample.payload_raw, sample.is_masked)
    return *names, *content, event_input.was_dead_letter, choice.by_rate, choice.stands_for
