"""Spark's workers: their statements, one line of a file at a time."""

from functools import partial

from django.conf import settings
from hypothesis.stateful import rule

from dlqconsole.core import handling
from dlqconsole.core.settings import limits
from dlqconsole.pipeline.ingest.reading import origin_of, read_item
from dlqconsole.pipeline.sink.items import Item
from dlqconsole.pipeline.sink.storing import Sink
from dlqconsole.pipeline.sink.work import RunWork
from dlqconsole.pipeline.sources.files import SourceFile
from dlqconsole.pipeline.sources.lines import FileLine
from dlqconsole.processing.outcomes import Failed, attempt
from tests.histories.contents import EVENTS, Content
from tests.histories.failing_handlers import Failure, plan
from tests.histories.ledger import Letter
from tests.histories.rules.base import OUTCOMES, History
from tests.operations.processes import address_here
from tests.plain_sql import column, value

FILE = origin_of(SourceFile("/in/order.created.jsonl", "order.created.jsonl"))
ENRICHED = "SELECT EXISTS (SELECT FROM enriched_events WHERE source = %s AND source_key = %s)"
DIGEST = "SELECT replace(digest::text, '-', '') FROM enriched_events WHERE source = %s AND source_key = %s"
DEAD = "SELECT id FROM dlq_events WHERE source = %s AND source_key = %s"


class Ingest(History):
    """Events from files."""

    sink: Sink | None = None

    def teardown(self) -> None:
        if self.sink is not None:
            self.sink.close()
        super().teardown()

    @rule(event=EVENTS, outcome=OUTCOMES)
    def ingest(self, event, outcome):
        made = self.payload(event)
        item = read_item(FileLine(plan.next(), made.body.encode(), len(made.body)), FILE, limits())
        plan.begin(outcome)
        self.store(item)
        if value(ENRICHED, item.source, item.key):
            # what it brought is nowhere taken for what another brought
            known = value(DIGEST, item.source, item.key)
            assert known in (None, item.digest) or column(DEAD, item.source, item.key)
            return
        # it has succeeded at no time: so it is a dead letter, under the key that it has now
        held = Content(made.content.text, item.raw)
        [number] = column(DEAD, item.source, item.key)
        if number in self.ledger.letters:
            assert held in self.ledger.letters[number].contents
            return
        assert isinstance(item.outcome, Failed)
        said = Failure(item.outcome.reason, item.outcome.category, item.outcome.stacktrace)
        self.ledger.born(Letter(number, made.key, [held], "PENDING", [said]))

    def store(self, item: Item) -> None:
        if self.sink is None:
            run = value(
                "INSERT INTO pipeline_runs (kind, subject, unit) VALUES ('ingest', '', '') RETURNING id"
            )
            work = RunWork(address_here(), run, settings.DLQ_HANDLERS, limits(), 30, 60)
            self.sink = Sink(work, partial(attempt, handling.registry()))
        self.sink.store([item])
