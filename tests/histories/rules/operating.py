"""Who asks for operations, and takes them back."""

from contextlib import suppress
from uuid import uuid4

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from dlqconsole.core.lifecycle.states import DISCARDABLE, PURGEABLE, REVIVABLE
from dlqconsole.core.lifecycle.states import DeadLetterStatus as S
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Operation, Status
from dlqconsole.operations.requests import controls
from dlqconsole.operations.work import run
from tests.accounts import ALICE, person
from tests.asking import ask_for
from tests.histories.contents import UNREADABLE_BYTES
from tests.histories.failing_handlers import Failure, plan
from tests.histories.ledger import STANDING, Delivery, Letter
from tests.histories.rules.base import KEPT, OUTCOMES, PLACES, QUEUES, History, at
from tests.plain_sql import column, rows, value

PICKS = st.sets(PLACES, min_size=1, max_size=4)
DONE = "SELECT dead_letter_id FROM operation_items WHERE operation_id = %s AND status = 'done' ORDER BY 1"
RECIPE = '[{{"op": "replace", "path": "{path}", "value": "by recipe {number}"}}]'
NOT_IN_FLIGHT = (
    "SELECT id FROM message_queue WHERE queue = %s"
    " AND (status <> 'processing' OR lease_until < clock_timestamp()) ORDER BY id"
)
UNREADABLE = (
    "SELECT dlq_event_id, error_reason, error_category, error_stacktrace FROM dlq_attempts"
    " WHERE error_reason LIKE 'MalformedEvent: %%' AND dlq_event_id = ANY (%s) AND id > %s"
)


class Operators(History):
    """Operations, asked for and worked off at once."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Operation] = []
        self.approver = person("bob")

    def operate(self, kind: str, letters: list[Letter], **parameters) -> list[Letter]:
        """Ask, and be the worker; the dead letters with which it was done."""
        operation = ask_for(kind, actor=ALICE, ids=[one.id for one in letters], parameters=parameters)
        self.asked.append(operation)
        return self.work(operation)

    def work(self, operation: Operation) -> list[Letter]:
        run.run(operation.pk, 60.0)
        operation.refresh_from_db()
        if operation.status == Status.AWAITING:
            controls.approve(operation.pk, self.approver)
            run.run(operation.pk, 60.0)
            operation.refresh_from_db()
        assert operation.status == Status.COMPLETED, operation.note
        return [self.ledger.letters[number] for number in column(DONE, operation.pk)]

    def picked(self, picks: set[int]) -> list[Letter]:
        return list({(one := at(pick, self.letters)).id: one for pick in sorted(picks)}.values())

    @precondition(lambda self: self.letters)
    @rule(picks=PICKS, undo_seconds=st.sampled_from([0, 60]))
    def revive(self, picks, undo_seconds):
        letters = self.picked(picks)
        done = self.operate("revive", letters, undo_seconds=undo_seconds)
        assert {one.id for one in done} == {one.id for one in letters if one.status in REVIVABLE}
        for letter in done:
            self.revived(letter)

    @precondition(lambda self: self.letters)
    @rule(picks=PICKS)
    def discard(self, picks):
        letters = self.picked(picks)
        done = self.operate("discard", letters)
        assert {one.id for one in done} == {one.id for one in letters if one.status in DISCARDABLE}
        for letter in done:
            letter.becomes(S.DISCARDED)

    @precondition(lambda self: any(one.status == S.DISCARDED for one in self.letters))
    @rule(picks=PICKS)
    def restore(self, picks):
        for letter in self.operate("restore", self.picked(picks)):
            assert letter.status == S.DISCARDED
            letter.becomes(S.PENDING)

    @precondition(lambda self: self.letters)
    @rule(picks=PICKS, category=st.sampled_from(["", "BUSINESS", "TRANSIENT"]))
    def reclassify(self, picks, category):
        # what a worker holds would be waited for
        if letters := [one for one in self.picked(picks) if one.status != S.RETRYING]:
            self.operate("reclassify", letters, **({"to_category": category} if category else {}))

    @precondition(lambda self: self.letters)
    @rule(picks=PICKS, path=st.sampled_from(["/data/tag", "/tag"]))
    def edit_by_recipe(self, picks, path):
        recipe = RECIPE.format(path=path, number=plan.next())
        for letter in self.operate("edit", self.picked(picks), recipe=recipe):
            letter.contents.append(self.held_by(letter))

    @precondition(lambda self: any(one.status in PURGEABLE for one in self.letters))
    @rule(picks=PICKS)
    def purge(self, picks):
        letters = self.picked(picks)
        proofs = "SELECT coalesce(sum((detail ->> 'rows')::int), 0) FROM audit_log WHERE action = 'purged'"
        before = value(proofs)
        done = self.operate("purge", letters)
        assert {one.id for one in done} == {one.id for one in letters if one.status in PURGEABLE}
        assert value(proofs) - before == len(done)
        for letter in done:
            del self.ledger.letters[letter.id]

    @precondition(lambda self: self.ledger.standing_on(*QUEUES))
    @rule(place=PLACES)
    def purge_a_queue(self, place):
        queue = at(place, self.ledger.standing_on(*QUEUES)).queue
        doomed = column(NOT_IN_FLIGHT, queue)
        operation = ask_for("purge_queue", actor=ALICE, queue=queue, expected=len(doomed))
        self.work(operation)
        assert operation.done == len(doomed)
        for number in doomed:
            self.purged(self.ledger.deliveries[queue, number])

    def purged(self, one: Delivery) -> None:
        self.ledger.leave(one)
        if one.letter is not None:
            one.letter.becomes(*STANDING)
        if one.queue == KEPT:
            self.ledger.archived[one.id] = one.content

    @precondition(lambda self: any(one.status in STANDING for one in self.letters))
    @rule(picks=PICKS, outcome=OUTCOMES)
    def retry_now(self, picks, outcome):
        self.begin_plan(outcome)
        letters = self.picked(picks)
        healed = self.operate("retry", letters)
        assert len(healed) == plan.succeeded
        for letter in healed:
            letter.becomes(S.SUCCEEDED)
            self.enrich(letter)
        assert {one.id for one in self.failed_again(letters)} <= {
            one.id for one in letters if one.status in STANDING
        }

    def enrich(self, letter: Letter) -> None:
        if letter.key is not None:
            self.ledger.enriched.add(letter.key)

    def failed_again(self, among: list[Letter]) -> list[Letter]:
        """The dead letters whose handlers have just failed, of these."""
        failed = [(self.letter_of(failure.reason), failure) for failure in plan.said]
        for number, *said in rows(UNREADABLE, [one.id for one in among], self.read_to):
            assert UNREADABLE_BYTES in self.ledger.letters[number].contents[0].raw
            failed.append((number, Failure(*said)))
        for number, failure in failed:
            letter = self.ledger.letters[number]
            assert letter in among
            letter.failures.append(failure)
            letter.occurrences += 1
            letter.retries += 1
            letter.becomes(*STANDING)
        return [self.ledger.letters[number] for number, _failure in failed]

    def begin_plan(self, outcome: str | None) -> None:
        """Handlers run now; what cannot be read fails before one does."""
        plan.begin(outcome)
        self.read_to = value("SELECT coalesce(max(id), 0) FROM dlq_attempts")

    @precondition(lambda self: self.asked)
    @rule(place=PLACES)
    def undo(self, place):
        source = at(place, self.asked)
        items = {self.ledger.letters[number].status for number in column(DONE, source.pk)}
        if source.kind == "reclassify" and S.RETRYING in items:
            return  # what a worker holds would be waited for
        with suppress(OperationRefused):
            self.undone(source.kind, self.work(controls.undo(source.pk, "alice", "a history", uuid4())))

    def undone(self, kind: str, letters: list[Letter]) -> None:
        """What was done is taken back: a revival's message is off its queue, an edit is a further version."""
        for letter in letters:
            if kind == "revive":
                [message] = self.ledger.of_letter(letter)
                assert not message.attempts
                self.ledger.leave(message)
            if kind in ("revive", "discard", "restore"):
                letter.becomes(*STANDING, S.DISCARDED)
            if kind == "edit":
                assert self.held_by(letter) in letter.contents
