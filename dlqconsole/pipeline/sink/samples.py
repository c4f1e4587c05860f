"""The successes of a batch that are kept as samples; they are written in the batch's own transaction."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import psycopg

from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.masking import Masker
from dlqconsole.processing.outcomes import Outcome, Succeeded
from dlqconsole.processing.sampling import SampleChoice, SamplePolicy, Sampler, Sampling, sample_of


class HandledEvent(Protocol):
    """An event whose handler ran: from an origin, or a dead letter."""

    @property
    def event_type(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def payload(self) -> str | None: ...
    @property
    def raw(self) -> bytes | None: ...
    @property
    def outcome(self) -> Outcome | None: ...


type Row = tuple[str, str, str, str | None, bytes | None, bool, bool, int]
_COLUMNS = (
    "event_types", "sources", "source_keys", "payloads", "payload_raws", "masked", "by_rate", "stands_for",
)  # fmt: skip
# it counts on from one piece to the next
_of_this_process = Sampler(lambda event_type: SamplePolicy())


class Samples:
    """The samples of one sink. ``sampling``: how, as the settings say; None: nothing is taken."""

    def __init__(self, sampling: Sampling | None) -> None:
        self._sampling = sampling
        self._policies: dict[str, SamplePolicy] | None = None
        self._masker = Masker(sampling.masked_keys) if sampling else None

    def write(
        self,
        connection: psycopg.Connection[Any],
        items: Sequence[HandledEvent],
        *,
        were_dead_letters: bool = False,
    ) -> None:
        """Write the samples of a batch: nothing where none is taken, else one statement.

        ``were_dead_letters``: they were dead letters.
        """
        if self._sampling is None:
            return
        if self._policies is None:
            self._policies = _read(connection, self._sampling.usual)
            _of_this_process.policy_of = self._policy
            _of_this_process.redraw_gaps()
        _of_this_process.renew_minute()
        rows = [row for item, choice in _choose(items) if (row := self._row(item, choice))]
        if rows:
            columns = (list(column) for column in zip(*rows, strict=True))
            values = dict(zip(_COLUMNS, columns, strict=True))
            connection.execute(sql("sink.keep_samples"), values | {"healed": were_dead_letters})

    def _policy(self, event_type: str) -> SamplePolicy:
        assert self._sampling is not None  # noqa: S101
        return (self._policies or {}).get(event_type, self._sampling.usual)

    def _row(self, item: HandledEvent, choice: SampleChoice) -> Row | None:
        masker = self._masker if self._policy(item.event_type).is_masked else None
        sample = sample_of(item.payload, item.raw, masker)
        if sample is None:
            return None
        name = (item.event_type, item.source, item.key)
        return *name, sample.payload, sample.payload_raw, sample.is_masked, choice.by_rate, choice.stands_for


def _choose(items: Sequence[HandledEvent]) -> Iterator[tuple[HandledEvent, SampleChoice]]:
    take = _of_this_process.take
    for item in items:
        if isinstance(item.outcome, Succeeded) and (choice := take(item.event_type)):
            yield item, choice


def _read(connection: psycopg.Connection[Any], usual: SamplePolicy) -> dict[str, SamplePolicy]:
    """Read the policies of the types that have one."""
    rows = connection.execute(sql("sink.sample_policies")).fetchall()
    return {name: usual.but(one_in, masking) for name, one_in, masking in rows}
