"""Any sequence of operations, undos, consumers and deaths leaves every number true."""

from contextlib import suppress
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from dlqconsole.core import messages as queue_messages
from dlqconsole.engine.counts import rollups
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import LIVE, Operation
from dlqconsole.operations.requests import controls, service
from dlqconsole.operations.work import run
from tests.operations.conftest import ask
from tests.plain_sql import column, execute
from tests.sizes import sized

pytestmark = pytest.mark.django_db(transaction=True)

LETTERS = 12
STATES = ("PENDING", "EXHAUSTED", "QUARANTINED", "DISCARDED")

# which of the operations: how many there are depends on how far a worker came, and no draw may
PLACES = st.integers(0, 11)


def _operation(place):
    """The operation at that place, counted around; none while there is none."""
    numbers = Operation.objects.order_by("pk").values_list("pk", flat=True)
    return [numbers[place % len(numbers)]] if numbers else []


class Console(RuleBasedStateMachine):
    """Two operators, a worker that may stop at any page, and a consumer, on a dozen dead letters."""

    @initialize(states=st.lists(st.sampled_from(STATES), min_size=LETTERS, max_size=LETTERS))
    def dead_letters(self, states):
        execute("TRUNCATE dlq_events, message_queue, operations, operation_items, operation_groups CASCADE")
        for number, state in enumerate(states):
            key = f"'customer-{number % 3}'" if number % 2 else "NULL"
            execute(
                "INSERT INTO dlq_events (event_type, payload, error_reason, status, group_key)"
                f" VALUES ('order.created', '{{}}', 'Refused: no', '{state}', {key})"
            )
        self.ids = column("SELECT id FROM dlq_events ORDER BY id")

    @rule(
        kind=st.sampled_from(["revive", "discard", "restore", "reclassify"]),
        picks=st.sets(st.integers(0, LETTERS - 1), min_size=1),
        undo_seconds=st.sampled_from([0, 60]),
    )
    def somebody_asks(self, kind, picks, undo_seconds):
        parameters = {"undo_seconds": undo_seconds} if kind == "revive" else {}
        ask(kind, ids=[self.ids[pick] for pick in sorted(picks)], parameters=parameters)

    @rule(seconds=st.sampled_from([0.0, 0.01, 5.0]))
    def a_worker_works(self, seconds):
        for operation in Operation.objects.filter(status__in=LIVE):
            run.run(operation.pk, seconds)

    @rule()
    def a_worker_dies(self):
        execute(
            "UPDATE operations SET lease_token = gen_random_uuid(), owner = 'dead',"
            " lease_until = clock_timestamp() - interval '1 second'"
            " WHERE status IN ('freezing', 'running', 'cancelling')"
        )

    @rule(which=PLACES, act=st.sampled_from([controls.pause, controls.resume, service.cancel]))
    def somebody_controls(self, which, act):
        for number in _operation(which):
            act(number, "bob")

    @rule(which=PLACES)
    def somebody_undoes(self, which):
        for number in _operation(which):
            with suppress(OperationRefused):
                controls.undo(number, "bob", "a mistake", uuid4())

    @rule(fails=st.booleans(), many=st.integers(1, 5))
    def a_consumer_takes_some(self, fails, many):
        for claim in queue_messages.claim("order.created", many, "consumer", 60):
            target = "PENDING" if fails else "SUCCEEDED"
            execute(
                f"UPDATE dlq_events SET status = '{target}'"
                f" WHERE status = 'REVIVED' AND id = {claim.dlq_event_id}"
            )
            execute(f"DELETE FROM message_queue WHERE id = {claim.id}")

    @rule()
    def the_undo_window_passes(self):
        execute("UPDATE operations SET undo_until = clock_timestamp() WHERE undo_until > clock_timestamp()")
        run.release_due(float("inf"))

    @invariant()
    def every_number_is_true(self):
        wrong = column(
            "SELECT o.id FROM operations o LEFT JOIN LATERAL ("
            " SELECT count(*) AS items, count(*) FILTER (WHERE status = 'done') AS done,"
            " count(*) FILTER (WHERE status = 'skipped') AS skipped,"
            " count(*) FILTER (WHERE status = 'failed') AS failed"
            " FROM operation_items i WHERE i.operation_id = o.id) i ON true"
            " WHERE (o.selected, o.done, o.skipped, o.failed) <> (i.items, i.done, i.skipped, i.failed)"
        )
        assert wrong == []

    @invariant()
    def revived_means_one_message_and_nothing_else_has_one(self):
        messages = "SELECT dlq_event_id FROM message_queue ORDER BY 1"
        assert column(messages) == column("SELECT id FROM dlq_events WHERE status = 'REVIVED' ORDER BY 1")

    @invariant()
    def nothing_is_lost(self):
        assert column("SELECT count(*) FROM dlq_events") == [len(getattr(self, "ids", []))]

    @invariant()
    def the_rollups_are_the_truth(self):
        assert rollups.check() == []

    @invariant()
    def nobody_waits_behind_nothing(self):
        forgotten = column(
            "SELECT id FROM message_queue m WHERE status = 'waiting' AND NOT EXISTS ("
            " SELECT FROM message_queue e"
            " WHERE e.queue = m.queue AND e.group_key = m.group_key AND e.id < m.id)"
        )
        assert forgotten == []


@pytest.mark.sized
def test_any_sequence_of_operations_leaves_every_number_true(monkeypatch):
    monkeypatch.setattr(run, "REST_SECONDS", 0.0)
    run_state_machine_as_test(
        Console,
        settings=settings(
            max_examples=sized(10, 40),
            stateful_step_count=25,
            suppress_health_check=list(HealthCheck),
        ),
    )
