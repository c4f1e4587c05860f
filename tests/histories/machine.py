"""All who write, in any order; after each step everything is looked at."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, run_state_machine_as_test

from dlqconsole.core.messages import queues
from tests.histories import checks
from tests.histories.contents import BYTES, EVENTS
from tests.histories.database import EMPTY
from tests.histories.rules.again import Again
from tests.histories.rules.base import CATEGORIES
from tests.histories.rules.ingesting import Ingest
from tests.histories.rules.passing_time import Time
from tests.histories.snapshot import Snapshot
from tests.plain_sql import execute

CATEGORY = st.sampled_from(CATEGORIES)


class Histories(Ingest, Again, Time):
    """One history, on empty tables."""

    @initialize(
        failed=st.lists(st.tuples(EVENTS, CATEGORY), min_size=2, max_size=4),
        reported=st.lists(st.tuples(BYTES, CATEGORY), min_size=1, max_size=3),
    )
    def begin(self, failed, reported):
        execute(EMPTY)
        execute("INSERT INTO queues (name, retention, on_dead_letter) VALUES ('kept', 'archive', 'hold')")
        queues.forget()
        for event, category in failed:
            self.send(event, "order.created", 0.0, None)
            self.consume_one(0, category)
        for event, category in reported:
            self.insert_a_dead_letter(event, category, "order.created")

    @invariant()
    def everything_holds(self):
        checks.everything(self.ledger, Snapshot.take())


def run_histories(examples: int, steps: int) -> None:
    """So many histories of so many steps, each run the same ones."""
    run_state_machine_as_test(
        Histories,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
