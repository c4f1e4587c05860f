"""The samples of successes: which inputs to keep, and their rows."""

from collections.abc import Sequence
from typing import Any

from dlqconsole.core.successes import Statement, Success
from dlqconsole.engine import gate
from dlqconsole.engine.samples.policies import SamplePolicies
from dlqconsole.engine.sql import sql
from dlqconsole.processing.sampling import SampleChoice, Sampler, sample_of

TYPE_LIMIT = 255
policies = SamplePolicies()
_sampler = Sampler(lambda event_type: policies.of(event_type[:TYPE_LIMIT]))

type Row = tuple[str, str, str, str | None, bytes | None, bool, bool, bool, int]
_COLUMNS = (
    "event_types", "sources", "source_keys", "payloads", "payload_raws", "masked", "healed", "by_rate",
    "stands_for",
)  # fmt: skip


def keep_samples(successes: Sequence[Success]) -> list[Statement]:
    """Return the statement that keeps samples of these, or none.

    Once a minute the policies are read again.
    """
    if policies.refresh():
        _sampler.redraw_gaps()
    _sampler.renew_minute()
    take = _sampler.take
    choices = [(success, choice) for success in successes if (choice := take(success.identity.event_type))]
    rows = [row for success, choice in choices if (row := _row(success, choice)) is not None]
    return [(sql("samples.keep"), columns(rows))] if rows else []


def columns(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Return the parameters of ``samples.keep``."""
    return {name: list(column) for name, column in zip(_COLUMNS, zip(*rows, strict=True), strict=True)}


def _row(success: Success, choice: SampleChoice) -> Row | None:
    """Return a sample's row; None for an input that is too large."""
    who = success.identity
    event_type = who.event_type[:TYPE_LIMIT]
    masker = gate.masker() if policies.of(event_type).is_masked else None
    if (sample := sample_of(success.payload, success.payload_raw, masker)) is None:
        return None
    names = (event_type, who.source, who.source_key)
    content = (sample.payload, sample.payload_raw, sample.is_masked)
    return *names, *content, success.was_dead_letter, choice.by_rate, choice.stands_for
