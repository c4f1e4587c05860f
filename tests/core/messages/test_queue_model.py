"""The queue against a model of it in memory: after every step both hold the same messages."""

from dataclasses import dataclass, replace
from typing import NamedTuple
from uuid import UUID

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from dlqconsole.core import messages
from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import HandlerResult, Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.messages import MessageClaim
from dlqconsole.processing.outcomes import Failed, Succeeded
from tests.plain_sql import rows, value
from tests.sizes import sized

QUEUE = "q"
LATER = 3600.0
# so many consumers may die of a message
MOST_CRASHES = 3
FAILURE = Failed("Broken: it is", "BUSINESS", "Broken", "")


@dataclass
class Modelled:
    """What the table should say of one message. ``later``: its moment has not come."""

    id: int
    priority: int = 0
    group: str | None = None
    dedupe: str | None = None
    status: str = "pending"
    later: bool = False
    attempts: int = 0
    crashes: int = 0
    charge: int = 0
    failed: bool = False
    token: UUID | None = None
    expired: bool = False
    letter: int | None = None

    @property
    def is_suspect(self) -> bool:
        return self.expired or self.crashes > 0

    def taken(self, *, alone: bool) -> None:
        was_beside_others = self.expired and not self.charge
        self.crashes += self.charge * self.expired
        self.charge = 2 if was_beside_others else int(alone)
        self.failed |= self.expired

    def held_by(self, claim: MessageClaim) -> bool:
        return self.status == "processing" and self.token == claim.lease_token

    def let_go(self, *, later: bool) -> None:
        self.status = "scheduled" if later else "pending"
        self.later, self.token, self.expired = later, None, False

    def row(self) -> tuple[object, ...]:
        return (self.id, self.status, self.attempts, self.crashes, self.token, self.group, self.letter)


class Order(NamedTuple):
    """What a producer asks for."""

    priority: int
    later: bool
    group: str | None
    dedupe: str | None


ORDERS = st.builds(
    Order,
    priority=st.sampled_from([0, 0, 0, 3]),
    later=st.sampled_from([False, False, False, True]),
    group=st.sampled_from([None, "a", "b"]),
    dedupe=st.sampled_from([None, None, None, "once"]),
)


class QueueMachine(RuleBasedStateMachine):
    """Producers, two consumers, time and people, in any order."""

    claims = Bundle("claims")
    letters = Bundle("letters")

    def __init__(self) -> None:
        super().__init__()
        self.queue: dict[int, Modelled] = {}
        # a dead letter's status, and the message it came from
        self.dead: dict[int, str] = {}
        # the group of that message: a revived one joins it again
        self.groups: dict[int, str | None] = {}
        self.atomic = transaction.atomic()
        self.atomic.__enter__()

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)

    # what producers do

    @initialize(orders=st.lists(ORDERS, min_size=4, max_size=8))
    def send_several(self, orders: list[Order]) -> None:
        assert self._rows() == []
        for order in orders:
            self.send(order)

    @rule(order=ORDERS)
    def send(self, order: Order) -> None:
        number = messages.send(
            QUEUE,
            "{}",
            priority=order.priority,
            delay=LATER if order.later else 0.0,
            group_key=order.group,
            dedupe_key=order.dedupe,
        )
        if order.dedupe and any(one.dedupe == order.dedupe for one in self.queue.values()):
            assert number is None
            return
        status = "waiting" if self._head(order.group) else "scheduled" if order.later else "pending"
        self.queue[number] = Modelled(number, order.priority, order.group, order.dedupe, status, order.later)

    @rule(order=ORDERS)
    def send_another(self, order: Order) -> None:
        self.send(order)

    # what consumers do

    @rule(target=claims)
    def claim_one(self):
        return self.claim(1, "one")

    @rule(target=claims, limit=st.integers(1, 4), owner=st.sampled_from(["one", "two"]))
    def claim(self, limit: int, owner: str):
        expected, poisons = self._taken(limit), []
        while expected and expected[0].crashes >= MOST_CRASHES:  # it goes, and the claim goes on
            poisons.append(expected[0])
            self._leave(expected[0])
            expected = self._taken(limit)
        claims = messages.claim(QUEUE, limit, owner, 60)
        for one in poisons:
            self._quarantined(one)
        assert [claim.id for claim in claims] == [one.id for one in expected]
        for claim, one in zip(claims, expected, strict=True):
            one.status, one.token, one.expired = "processing", claim.lease_token, False
            one.attempts += 1
            assert (claim.retry_count, claim.crash_count) == (one.attempts, one.crashes)
            assert (claim.priority, claim.group_key, claim.dlq_event_id) == (
                one.priority,
                one.group,
                one.letter,
            )
            self.queue[one.id] = one
        return multiple(*claims)

    @precondition(lambda self: len(self.queue) > 4)
    @rule(limit=st.integers(1, 2))
    def pop(self, limit: int) -> None:
        expected = [one.id for one in self._claimable()[:limit]]
        assert [claim.id for claim in messages.pop(QUEUE, limit)] == expected
        for number in expected:
            self._succeeded(self.queue[number])
            self._leave(self.queue[number])

    @rule(claim=claims)
    def extend(self, claim: MessageClaim) -> None:
        one = self._held(claim)
        assert messages.extend([claim], 60) == self._ids(one)
        if one:
            one.expired = False

    @rule(claim=consumes(claims))
    def complete(self, claim: MessageClaim) -> None:
        one = self._held(claim)
        handled = HandlerResult(Identity("q", "queue:q", str(claim.id)), Succeeded({}, "{}"))
        assert messages.complete_handled([(claim, handled)]) == self._ids(one)
        self._succeeded(one)
        self._gone(one, claim)

    @rule(claims=st.lists(claims, min_size=1, max_size=3, unique_by=lambda claim: claim.id))
    def complete_several(self, claims: list[MessageClaim]) -> None:
        held = [self._held(claim) for claim in claims]
        assert messages.complete(claims) == {one.id for one in held if one}
        for one, claim in zip(held, claims, strict=True):
            self._succeeded(one)
            self._gone(one, claim)

    @rule(claim=claims)
    def archive(self, claim: MessageClaim) -> None:
        one = self._held(claim)
        assert messages.archive([claim]) == self._ids(one)
        self._succeeded(one)
        self._gone(one, claim)

    @rule(claim=consumes(claims), later=st.booleans())
    def retry_later(self, claim: MessageClaim, later: bool) -> None:
        one = self._held(claim)
        if one is None:
            with pytest.raises(LeaseLost):
                messages.retry_later(claim, 0, "again")
            return
        messages.retry_later(claim, LATER if later else 0.0, "again")
        one.let_go(later=later)
        one.crashes, one.failed = 0, True

    @rule(target=letters, claim=consumes(claims))
    def bury(self, claim: MessageClaim):
        one = self._held(claim)
        identity = Identity("q", "queue:q", str(claim.id))
        if one is None:
            with pytest.raises(LeaseLost):
                messages.dead_letter(claim, identity, FAILURE, DeadLetterStatus.PENDING)
            self._call(claim.group_key)
            return multiple()
        letter = messages.dead_letter(claim, identity, FAILURE, DeadLetterStatus.PENDING)
        assert letter == one.letter or (one.letter is None and letter not in self.dead)
        self.dead[letter] = "PENDING"
        self.groups.setdefault(letter, one.group)
        self._gone(one, claim)
        return multiple() if one.letter else letter

    @rule(target=letters, claim=consumes(claims))
    def bury_and_revive(self, claim: MessageClaim):
        letter = self.bury(claim)
        for one in [letter] if isinstance(letter, int) else []:
            self.revive(one)
        return letter

    @rule(claim=consumes(claims), later=st.booleans())
    def give_back(self, claim: MessageClaim, later: bool) -> None:
        one = self._held(claim)
        given = messages.snooze([claim], LATER) if later else messages.release([claim])
        assert given == self._ids(one)
        if one:
            one.let_go(later=later)
            one.attempts -= 1

    @rule()
    def unblock_forgotten(self) -> None:
        called = [one for group in "ab" if (one := self._head(group)) and one.status == "waiting"]
        assert messages.unblock_forgotten(QUEUE) == len(called)
        for one in called:
            self._call(one.group)

    # what time does

    @rule(claim=claims)
    def lease_runs_out(self, claim: MessageClaim) -> None:
        if one := self._held(claim):
            self._execute("UPDATE message_queue SET lease_until = '2020-01-01' WHERE id = %s", one.id)
            one.expired = True

    @rule(target=claims, claim=claims)
    def lease_runs_out_and_another_takes_over(self, claim: MessageClaim):
        self.lease_runs_out(claim)
        return self.claim(4, "two")

    @rule(data=st.data())
    def moment_comes(self, data: st.DataObject) -> None:
        for one in self._drawn(data, [one for one in self.queue.values() if one.later]):
            self._execute("UPDATE message_queue SET next_retry_at = '2020-01-01' WHERE id = %s", one.id)
            one.later = False
        due = [one for one in self.queue.values() if one.status == "scheduled" and not one.later]
        assert messages.stage() == len(due)
        for one in due:
            one.status = "pending"

    # what people do

    @rule(letter=letters)
    def revive(self, letter: int) -> None:
        number = value("SELECT dead_letter_revive(%s)", letter)
        if self.dead[letter] not in ("PENDING", "QUARANTINED"):
            assert number is None
            return
        self.dead[letter] = "REVIVED"
        group = self.groups.get(letter)
        status = "waiting" if self._head(group) else "pending"
        self.queue[number] = Modelled(number, group=group, status=status, letter=letter)

    @precondition(lambda self: len(self.queue) > 4)
    @rule(data=st.data())
    def delete_by_hand(self, data: st.DataObject) -> None:
        for one in self._drawn(data, list(self.queue.values())):
            self._execute("DELETE FROM message_queue WHERE id = %s", one.id)
            if one.status == "processing" and not one.expired:
                self._succeeded(one)
            elif one.letter:
                self.dead[one.letter] = "PENDING"
            self._leave(one)

    # what must hold after each step

    @invariant()
    def the_table_is_as_the_model(self) -> None:
        assert self._rows() == [one.row() for _, one in sorted(self.queue.items())]

    @invariant()
    def the_dead_letters_are_as_the_model(self) -> None:
        assert dict(rows("SELECT id, status FROM dlq_events")) == self.dead

    @invariant()
    def no_two_of_a_group_are_held(self) -> None:
        held = [one.group for one in self.queue.values() if one.status == "processing" and one.group]
        assert len(held) == len(set(held))

    def _taken(self, limit: int) -> list[Modelled]:
        """Return what a claim takes, as it is then: what may have killed its consumer is taken alone."""
        due = [replace(one) for one in self._claimable()[:limit]]
        if due and due[0].is_suspect:
            taken, alone = due[:1], True
        else:
            taken, alone = [one for one in due if not one.is_suspect], len(due) == 1
        for one in taken:
            one.taken(alone=alone)
        return taken

    def _quarantined(self, one: Modelled) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT id FROM dlq_events WHERE id = %s OR source_key = %s", [one.letter, str(one.id)]
            )
            (letter,) = cursor.fetchone()
        self.dead[letter] = "QUARANTINED"
        self.groups.setdefault(letter, one.group)

    def _claimable(self) -> list[Modelled]:
        heads = {self._head(group).id for group in "ab" if self._head(group)}
        return sorted(
            (
                one
                for one in self.queue.values()
                if (one.status == "pending" or one.expired) and (one.group is None or one.id in heads)
            ),
            key=lambda one: (-one.priority, one.failed and one.group is None, one.id),
        )

    def _head(self, group: str | None) -> Modelled | None:
        if group is None:
            return None
        of_group = [one for one in self.queue.values() if one.group == group]
        return min(of_group, key=lambda one: one.id, default=None)

    def _held(self, claim: MessageClaim) -> Modelled | None:
        one = self.queue.get(claim.id)
        return one if one and one.held_by(claim) else None

    def _ids(self, one: Modelled | None) -> set[int]:
        return {one.id} if one else set()

    def _succeeded(self, one: Modelled | None) -> None:
        if one and one.letter:
            self.dead[one.letter] = "SUCCEEDED"

    def _gone(self, one: Modelled | None, claim: MessageClaim) -> None:
        if one:
            del self.queue[one.id]
        self._call(claim.group_key)

    def _leave(self, one: Modelled) -> None:
        del self.queue[one.id]
        self._call(one.group)

    def _call(self, group: str | None) -> None:
        head = self._head(group)
        if head and head.status == "waiting":
            head.status = "scheduled" if head.later else "pending"

    def _drawn(self, data: st.DataObject, some: list[Modelled]) -> list[Modelled]:
        return [data.draw(st.sampled_from(some))] if some else []

    def _execute(self, query: str, *values: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(query, values)
            assert cursor.rowcount == 1

    def _rows(self) -> list[tuple[object, ...]]:
        return rows(
            "SELECT id, status, retry_count, crash_count, lease_token, group_key, dlq_event_id"
            " FROM message_queue ORDER BY id"
        )


@pytest.mark.sized
@pytest.mark.django_db
def test_the_queue_does_what_its_model_does():
    run_state_machine_as_test(
        QueueMachine,
        settings=settings(
            max_examples=sized(30, 150),
            stateful_step_count=30,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
