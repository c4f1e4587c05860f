"""Who writes plain SQL, and who edits."""

import orjson
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from dlqconsole.core.lifecycle.states import DeadLetterStatus as S
from dlqconsole.engine.dead_letters import editing
from dlqconsole.processing.edits import EditRefused
from tests.histories.failing_handlers import plan
from tests.histories.ledger import CLOSED, STANDING
from tests.histories.rules.base import CATEGORIES, PLACES, QUEUES, History, at
from tests.plain_sql import execute, value


class People(History):
    """What people do one by one."""

    @precondition(lambda self: self.letters)
    @rule(place=PLACES)
    def call_dead_letter_revive(self, place):
        letter = at(place, self.letters)
        message = value("SELECT dead_letter_revive(%s)", letter.id)
        assert (message is not None) == (letter.status in STANDING)
        if message is not None:
            self.revived(letter)

    @precondition(lambda self: self.letters)
    @rule(place=PLACES, category=st.sampled_from(CATEGORIES))
    def write_over_the_reason(self, place, category):
        letter, failure = at(place, self.letters), plan.failure(category)
        execute(
            "UPDATE dlq_events SET error_reason = %s, error_stacktrace = %s, error_category = %s,"
            " last_failure_at = clock_timestamp() WHERE id = %s",
            failure.reason, failure.trace, category, letter.id,
        )  # fmt: skip
        letter.failures.append(failure)
        if letter.status in CLOSED:
            letter.becomes(S.PENDING)

    @precondition(lambda self: any(one.status in (S.PENDING, S.DISCARDED) for one in self.letters))
    @rule(place=PLACES)
    def set_aside_or_back(self, place):
        letter = at(place, [one for one in self.letters if one.status in (S.PENDING, S.DISCARDED)])
        status = S.DISCARDED if letter.status == S.PENDING else S.PENDING
        execute("UPDATE dlq_events SET status = %s WHERE id = %s", status, letter.id)
        letter.becomes(status)

    @precondition(lambda self: any(not one.is_elsewhere for one in self.ledger.standing_on()))
    @rule(place=PLACES)
    def delete_a_message(self, place):
        one = at(place, [one for one in self.ledger.standing_on() if not one.is_elsewhere])
        execute("DELETE FROM message_queue WHERE id = %s", one.id)
        self.ledger.delete(one)

    @precondition(lambda self: len(self.ledger.standing_on(*QUEUES)) > 4)
    @rule()
    def empty_the_table_of_messages(self):
        execute("TRUNCATE message_queue")
        for one in self.ledger.standing_on():
            if not one.is_elsewhere:
                self.ledger.drift(one)

    @precondition(lambda self: any(one.status in STANDING for one in self.letters))
    @rule(place=PLACES)
    def edit(self, place):
        letter = at(place, [one for one in self.letters if one.status in STANDING])
        opened = editing.current(letter.id)
        try:
            body = orjson.loads(opened.text or opened.raw)
        except orjson.JSONDecodeError:
            body = {}
        body.get("data", body)["tag"] = f"edited{plan.next()}"
        try:
            editing.edit(
                letter.id, version=opened.version, payload_text=orjson.dumps(body).decode(), headers=None,
                actor="user:ann", reason="a history",
            )  # fmt: skip
        except EditRefused:
            return
        letter.contents.append(self.held_by(letter))

    @precondition(lambda self: any(len(one.contents) > 1 and one.status in STANDING for one in self.letters))
    @rule(place=PLACES)
    def restore_the_original(self, place):
        edited = [one for one in self.letters if len(one.contents) > 1 and one.status in STANDING]
        letter = at(place, edited)
        opened = editing.current(letter.id)
        editing.restore(letter.id, 0, version=opened.version, actor="user:ann", reason="a history")
        assert self.held_by(letter) == letter.contents[0]
