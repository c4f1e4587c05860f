"""What handlers returned for messages of other systems: rows of ``enriched_events``, each event once."""

from collections.abc import Sequence

from dlqconsole.engine.handling import Handled
from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.processing.outcomes import Succeeded
from dlqconsole.transports.sql import sql


def keep(successes: Sequence[Handled]) -> None:
    """Keep the records, in the caller's transaction. What is there already stays as it is."""
    rows = [
        (who.event_type[:255], who.source, who.source_key, who.occurred_at, handled.outcome.record_json)
        for handled in successes
        if isinstance(handled.outcome, Succeeded)
        for who in [handled.identity]
    ]
    if rows:
        names = ("event_types", "sources", "source_keys", "occurred_at", "records")
        columns = (list(column) for column in zip(*rows, strict=True))
        fetch_column(sql("records.keep"), dict(zip(names, columns, strict=True)))
