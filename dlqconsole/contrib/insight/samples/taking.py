"""The samples of successes: chosen, and written in the transaction that records the success.

Consumers, the schedule and Spark's workers, which know no Django, all do it here.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from dlqconsole.contrib.insight.samples.sampling import SampleChoice, SamplePolicy, Sampler, sample_of
from dlqconsole.contrib.insight.sql import sql
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.core.successes import Statement, Success
from dlqconsole.processing.masking import Masker

TYPE_LIMIT = 255
# a writer learns of a change after so many seconds at the latest
READ_AGAIN_SECONDS = 60.0

type Row = tuple[str, str, str, str | None, bytes | None, bool, bool, bool, int]
_COLUMNS = (
    "event_types", "sources", "source_keys", "payloads", "payload_raws", "masked", "healed", "by_rate",
    "stands_for",
)  # fmt: skip
# of this process: in a worker of Spark it counts on from one piece to the next
_sampler = Sampler(lambda event_type: SamplePolicy())


class SampleKeeper:
    """Keeps some of the inputs that succeed, as people and the settings say. These are read when needed."""

    def __init__(self, settings: Any) -> None:
        self._settings = settings
        self._usual = SamplePolicy()
        self._by_type: Mapping[str, SamplePolicy] = {}
        self._read_again_at = 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        """Send a worker what the settings say, and nothing else of them."""
        values = {name: getattr(self._settings, name) for name in ("DLQ_SAMPLE_ONE_IN", "DLQ_MASKED_KEYS")}
        return SampleKeeper, (SimpleNamespace(**values),)

    def __call__(self, successes: Sequence[Success]) -> list[Statement]:
        """Return the one statement that keeps the samples among these, if there are any."""
        self._refresh()
        _sampler.renew_minute()
        rows = list(self._rows(successes))
        return [(sql("samples.keep"), _columns(rows))] if rows else []

    def _refresh(self) -> None:
        """Read people's policies, once a minute."""
        if time.monotonic() < self._read_again_at:
            return
        self._usual = SamplePolicy(self._settings.DLQ_SAMPLE_ONE_IN)
        rows = fetch_dicts(sql("samples.policies"), {})
        self._by_type = {row["event_type"]: self._usual.but(row["one_in"], row["masked"]) for row in rows}
        self._read_again_at = time.monotonic() + READ_AGAIN_SECONDS
        _sampler.policy_of = self._policy
        _sampler.redraw_gaps()

    @cached_property
    def _masker(self) -> Masker:
        return Masker(self._settings.DLQ_MASKED_KEYS)

    def _policy(self, event_type: str) -> SamplePolicy:
        return self._by_type.get(event_type[:TYPE_LIMIT], self._usual)

    def _rows(self, successes: Sequence[Success]) -> Iterator[Row]:
        take = _sampler.take
        for success in successes:
            if (choice := take(success.identity.event_type)) and (row := self._row(success, choice)):
                yield row

    def _row(self, success: Success, choice: SampleChoice) -> Row | None:
        """Return a sample's row; None for an input that is too large."""
        who = success.identity
        masker = self._masker if self._policy(who.event_type).is_masked else None
        if (sample := sample_of(success.payload, success.payload_raw, masker)) is None:
            return None
        names = (who.event_type[:TYPE_LIMIT], who.source, who.source_key)
        content = (sample.payload, sample.payload_raw, sample.is_masked)
        return *names, *content, success.was_dead_letter, choice.by_rate, choice.stands_for


def _columns(rows: Sequence[Row]) -> dict[str, list[Any]]:
    return {name: list(column) for name, column in zip(_COLUMNS, zip(*rows, strict=True), strict=True)}
