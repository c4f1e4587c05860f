"""Who sends: our function, plain SQL, Spark's ingest, and whoever inserts dead letters."""

from django.db import IntegrityError, transaction
from hypothesis import strategies as st
from hypothesis.stateful import rule

from dlqconsole.core import messages
from tests.histories.contents import BYTES, EVENTS, KEYS, SOURCE, Named
from tests.histories.failing_handlers import plan
from tests.histories.ledger import Letter
from tests.histories.rules.base import CATEGORIES, QUEUES, History
from tests.plain_sql import value

DELAYS = st.sampled_from([0.0, 0.0, 3600.0])
GROUPS = st.sampled_from([None, None, "first", "second"])
INSERT = (
    "INSERT INTO dlq_events (event_type, payload, payload_raw, error_reason, error_category,"
    " error_stacktrace, source, source_key) VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING id"
)


class Producers(History):
    """Events come in."""

    @rule(event=EVENTS, queue=st.sampled_from(QUEUES), delay=DELAYS, group=GROUPS)
    def send(self, event, queue, delay, group):
        made = self.payload(event)
        number = messages.send(queue, made.body, delay=delay, group_key=group)
        self.sent(queue, number, made)

    @rule(event=BYTES, queue=st.sampled_from(QUEUES), group=GROUPS)
    def insert_a_message(self, event, queue, group):
        made = self.payload(event)
        number = value(
            "INSERT INTO message_queue (queue, payload, payload_raw, group_key)"
            " VALUES (%s, %s, %s, %s) RETURNING id",
            queue, *made.content, group,
        )  # fmt: skip
        self.sent(queue, number, made)

    @rule(event=BYTES, category=st.sampled_from(CATEGORIES), event_type=st.sampled_from(QUEUES))
    def insert_a_dead_letter(self, event, category, event_type):
        made, failure = self.payload(event), plan.failure(category)
        number = value(INSERT, event_type, *made.content, *failure, None, None)
        self.ledger.born(Letter(number, None, [made.content], "PENDING", [failure]))

    @rule(key=st.sampled_from(KEYS), variant=st.sampled_from([1, 2]), category=st.sampled_from(CATEGORIES))
    def insert_a_dead_letter_that_names_its_event(self, key, variant, category):
        made, failure = self.payload(Named(key, variant)), plan.failure(category)
        try:
            with transaction.atomic():
                number = value(INSERT, "order.created", *made.content, *failure, SOURCE, key)
        except IntegrityError:
            assert any(one.key == key for one in self.letters)
            return
        self.ledger.born(Letter(number, key, [made.content], "PENDING", [failure]))
