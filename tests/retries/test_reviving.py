"""The schedule revives what has no handler here: on its queue a program in SQL takes it, with all limits."""

import json
import threading
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from dlqconsole.core import messages
from dlqconsole.core.dead_letters import reviving
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine import breakers
from dlqconsole.engine.known_handlers import SQL
from dlqconsole.engine.models import AuditEntry, DeadLetter, HandlerReport, Message, PacedGroup, Queue
from dlqconsole.operations.kinds import get
from dlqconsole.operations.requests import blockers
from dlqconsole.processing.outcomes import Failed
from dlqconsole.retries import actions, policies, reviver, run
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.policies import PolicyScope, keeping
from dlqconsole.retries.throttle import Room
from dlqconsole.retries.why import Circumstances, answer, why_not_counts
from dlqconsole.retries.worker_lane import WorkerLane
from tests.accounts import person
from tests.operations.conftest import statuses
from tests.plain_sql import column, execute
from tests.retries.test_one_answer import shut
from tests.threads import at_once, meanwhile

pytestmark = pytest.mark.django_db(transaction=True)

TYPE = "order.lost"
EVENT, NAME = "'{\"order_id\": 1}'", "source => 'shop', source_key => '7'"
LATER = timezone.now() + timedelta(hours=1)
REFUSED = Failed("Refused: billing is away", "DEPENDENCY", "Refused", "")


@pytest.fixture
def lost(letter):
    """lost(3) makes so many dead letters that no worker has a handler for."""
    return lambda number=1, **columns: [letter(TYPE, **columns) for _ in range(number)]


@pytest.fixture
def consumer(db) -> HandlerReport:
    """A program in SQL consumes the queue of that type."""
    return HandlerReport.objects.create(
        worker="node-1", role=SQL, queues=[TYPE], unhandled={}, seen_at=database_now()
    )


@pytest.fixture
def policy():
    """policy(TYPE, action="revive") keeps a policy."""

    def keep(event_type, **values):
        row = keeping.add(PolicyScope(event_type), values, actor=person("ann"), reason="no handler here")
        policies.forget()
        return row

    return keep


def claim():
    return messages.claim(TYPE, 1, "node-1", 60)[0]


def give_up(claimed):
    letter = DeadLetter.objects.get(pk=claimed.dlq_event_id)
    identity = Identity(TYPE, letter.source, letter.source_key)
    messages.dead_letter(claimed, identity, REFUSED, DeadLetterStatus.PENDING)


def why(number):
    return answer(DeadLetter.objects.get(pk=number), Circumstances.look()).sentence


def due_again():
    """Let every wait pass."""
    execute("UPDATE dlq_events SET retry_after = now() - interval '1 s' WHERE status = 'PENDING'")


def test_what_a_program_consumes_by_sql_is_revived_without_a_policy(lost, consumer):
    [number] = lost()
    done = run.run()
    assert (done.revived, done.claimed, done.ended_for) == (1, 0, "nothing due")
    message = Message.objects.get()
    assert (message.queue, message.dlq_event_id, message.revive_seq) == (TYPE, number, 1)
    entry = AuditEntry.objects.get(target=f"dead_letter:{number}")
    assert (entry.actor, entry.action) == ("schedule", "revive")
    assert (
        entry.reason
        == f"no schedule worker has a handler for {TYPE}, and a program consumes the queue by SQL"
    )
    assert entry.detail == {"message_id": message.pk, "revive_count": 1, "run": done.pk}
    messages.complete([claim()])
    assert statuses() == {"SUCCEEDED": 1}


def test_a_program_that_is_silent_for_ten_minutes_is_gone(lost, consumer):
    lost()
    execute("UPDATE handler_reports SET seen_at = now() - interval '9 min'")
    assert [each.code for each in why_not_counts()] == ["REVIVE"]
    execute("UPDATE handler_reports SET seen_at = now() - interval '11 min'")
    assert run.run().revived == 0
    assert [each.code for each in why_not_counts()] == ["NO_HANDLER"]


def test_of_another_queue_it_takes_nothing(lost, consumer):
    lost(2)
    lost(3, queue="elsewhere")
    assert {each.code: each.count for each in why_not_counts()} == {"REVIVE": 2, "NO_HANDLER": 3}
    assert run.run().revived == 2
    assert statuses() == {"PENDING": 3, "REVIVED": 2}


def test_what_has_a_handler_is_retried_all_the_same(letters, consumer):
    execute("UPDATE handler_reports SET queues = '{order.created}'")
    letters(2)
    done = run.run()
    assert (done.revived, done.succeeded) == (0, 2)


def test_a_policy_revives_what_has_a_handler_and_what_nobody_consumes(letters, lost, policy):
    letters(2)
    lost(3)
    policy("order.created", action="revive")
    row = policy(TYPE, action="revive")
    done = run.run()
    assert (done.revived, done.claimed) == (5, 0)
    assert {*AuditEntry.objects.filter(action="revive").values_list("reason", flat=True)} == {
        "the policy for order.created says so",
        f"the policy for {TYPE} says so",
    }
    keeping.change(row.pk, 2, {"action": "retry"}, actor=person("ann"), reason="wrong")
    policies.forget()
    [number] = lost()
    assert run.run().revived == 0
    assert "No schedule worker has a handler" in why(number)


def test_what_comes_back_counts_its_tries_and_waits_longer_each_time(lost, consumer, settings):
    settings.DLQ_RETRY_BACKOFF_BASE, settings.DLQ_COME_BACKS = 60, 0
    Queue.objects.create(name=TYPE, max_retries=0)
    lost()
    waits = []
    for times in range(1, 4):
        assert run.run().revived == 1
        give_up(claim())
        letter = DeadLetter.objects.get()
        assert (letter.status, letter.retry_count, letter.come_backs) == ("PENDING", times, times)
        assert letter.error_reason == REFUSED.reason
        waits.append((letter.retry_after - database_now()).total_seconds())
        assert run.run().revived == 0
        due_again()
    assert [round(wait, -1) for wait in waits] == [60, 120, 240]


@pytest.mark.parametrize("forgets", ["report", "update", "delete"])
def test_whichever_way_it_fails_at_once_it_is_not_revived_at_once(lost, consumer, forgets):
    """An older program takes the message off by itself, and then reports the failure or writes it down."""
    [number] = lost(source="shop", source_key="7")
    for _ in range(2):
        due_again()
        assert run.run().revived == 1
        claim()
        execute("DELETE FROM message_queue")
        if forgets == "report":
            execute(f"SELECT dead_letter_report('{TYPE}', {EVENT}, 'Refused: no', {NAME})")
        elif forgets == "update":
            execute("UPDATE dlq_events SET error_reason = 'Refused: no', occurrences = occurrences + 1")
        execute("UPDATE dlq_events SET status = 'PENDING' WHERE status = 'SUCCEEDED'")
        assert statuses() == {"PENDING": 1}
        assert run.run().revived == 0
    assert DeadLetter.objects.get(pk=number).revive_count == 2


def test_without_tries_left_it_is_exhausted_and_not_revived(lost, consumer):
    lost(retry_count=3, max_retries=3)
    done = run.run()
    assert (done.revived, done.exhausted) == (0, 1)
    assert statuses() == {"EXHAUSTED": 1}
    assert not Message.objects.exists()


def test_what_keeps_coming_back_is_left_to_a_person(lost, consumer, settings):
    settings.DLQ_COME_BACKS = 1
    Queue.objects.create(name=TYPE, max_retries=0)
    lost()
    run.run()
    give_up(claim())
    due_again()
    assert run.run().revived == 0
    assert [each.code for each in why_not_counts()] == ["CAME_BACK"]


def test_a_window_and_a_pause_and_a_category_hold_it_as_they_hold_a_retry(lost, consumer, policy):
    lost()
    row = policy(TYPE, **shut())
    assert run.run().revived == 0
    keeping.delete(row.pk, 2, actor=person("ann"), reason="at any time")
    keeping.pause(PolicyScope(TYPE), actor=person("ann"), reason="they move")
    policies.forget()
    assert run.run().revived == 0
    keeping.resume(PolicyScope(TYPE), actor=person("ann"), reason="they are back")
    policies.forget()
    execute("UPDATE dlq_events SET error_category = 'BUSINESS'")
    assert run.run().revived == 0


def test_an_open_breaker_holds_it(lost, consumer):
    lost(2)
    breakers.hold(f"type:{TYPE}", "open", until=LATER, actor=person("ann"), reason="billing moves")
    done = run.run()
    assert (done.revived, done.ended_for) == (0, "held back")
    breakers.resume(f"type:{TYPE}", actor=person("ann"))
    assert run.run().revived == 2


def test_no_more_stand_on_a_queue_than_its_consumers_settle(lost, consumer, monkeypatch):
    monkeypatch.setattr(reviver, "MOST_UNDER_WAY", 3)
    monkeypatch.setattr(reviver, "SILENT_SECONDS", 0.2)
    lost(5)
    done = run.run()
    assert (done.revived, done.ended_for, done.more_due) == (3, "held back", True)
    assert done.note.startswith(f"left what is due of {TYPE}")
    messages.complete([claim()])
    assert run.run().revived == 1


def test_a_rate_holds_it(lost, consumer, policy, settings):
    settings.DLQ_RETRY_TIME_BUDGET = 2
    policy(TYPE, rate=2.0)
    lost(20)
    assert 2 <= run.run().revived <= 6


def test_what_comes_back_slows_its_failure_group(lost, consumer, monkeypatch, settings):
    settings.DLQ_RETRY_TIME_BUDGET = 4
    monkeypatch.setattr(reviver, "MOST_UNDER_WAY", 30)
    Queue.objects.create(name=TYPE, max_retries=0)
    lost(200)
    ended = threading.Event()

    def fail_all():
        while not ended.is_set():
            for claimed in messages.claim(TYPE, 10, "node-1", 60):
                give_up(claimed)

    with meanwhile([fail_all]):
        try:
            done = run.run()
        finally:
            ended.set()
    assert 30 <= done.revived < 200
    slowed = PacedGroup.objects.get(event_type=TYPE)
    assert (slowed.rate, slowed.share) == (1.0, 1.0)


def test_one_that_cannot_be_put_on_a_queue_stops_no_other(lost, letter, consumer, policy, settings):
    """A queue needs a name, and an event type may be empty."""
    settings.DLQ_RETRY_MAX_RETRIES = 2
    policy("", action="revive")
    nameless = [letter("", {"card": "4929"}), letter("", {"card": "4929"})]
    letter("", queue=TYPE)
    lost(3)
    tries = 0
    while statuses().get("PENDING"):
        done = run.run()
        assert (done.ended_for, done.failed, done.claimed) == ("nothing due", 2, 2)
        assert done.revived == (0 if tries else 4)
        tries += 1
        due_again()
    assert tries == 2, "as many as the settings say"
    assert statuses() == {"EXHAUSTED": 2, "REVIVED": 4}
    for number in nameless:
        row = DeadLetter.objects.get(pk=number)
        assert (row.retry_count, row.revive_count, row.error_reason) == (2, 0, "Refused: billing said no")
        reasons = column(
            "SELECT error_reason FROM dlq_attempts WHERE dlq_event_id = %s AND kind = 'revive'", number
        )
        assert len(reasons) == 2
        assert reasons[0].startswith("NotRevived: the database did not store its message: new row")
        assert "4929" not in reasons[0]


def test_one_that_cannot_be_put_on_a_queue_waits_longer_each_time(letter, policy, settings):
    settings.DLQ_RETRY_BACKOFF_BASE = 60
    policy("", action="revive")
    number = letter("")
    waits = []
    for _ in range(3):
        assert run.run().failed == 1
        waits.append((DeadLetter.objects.get(pk=number).retry_after - database_now()).total_seconds())
        due_again()
    assert [round(wait, -1) for wait in waits] == [60, 120, 240]


def test_two_workers_revive_none_twice(lost, consumer):
    lost(60)
    lane = WorkerLane(actions.revivals().lanes[0])

    def revive_all():
        while reviving.revive_due([reviver.request(lane, Room(7))], run=1)[0].revived:
            pass

    at_once([revive_all] * 3)
    assert column("SELECT count(DISTINCT dlq_event_id), count(*) FROM message_queue") == [60]
    assert Message.objects.count() == 60


def test_the_letter_says_which_it_is_and_why(lost, consumer, policy):
    [number] = lost()
    reason = "no schedule worker has a handler for {}, and a program consumes the queue by SQL"
    assert why(number).endswith(f" It is revived then: {reason.format(TYPE)}.")
    [due] = why_not_counts()
    assert (due.code, due.why) == ("REVIVE", f"due now: a run revives them, because {reason.format('them')}")
    execute("UPDATE dlq_events SET retry_after = '2090-01-01'")
    assert why(number).endswith(f"the next run after that revives it: {reason.format(TYPE)}.")


def test_the_schedule_names_the_queues_that_programs_consume(consumer, viewer):
    page = " ".join(viewer.get("/schedules/").content.decode().split())
    assert f'Programs in SQL consume <span class="mono">{TYPE}</span>' in page


def test_a_revive_by_a_person_finds_its_consumer_too(lost, consumer):
    assert blockers.blockers(get("revive"), [], [TYPE, "elsewhere"]) == (
        "Nobody consumes elsewhere. No consumer of it has been heard of in two minutes.",
    )


def test_people_set_it_and_read_it(lost, policy, capsys):
    lost()
    call_command("schedule", "set", "--type", TYPE, "--action", "revive", "--because", "node handles it")
    policies.forget()
    call_command("schedule", "preview", "--type", TYPE)
    call_command("schedule", "--json")
    out = capsys.readouterr().out
    assert f"when due         revive, from the policy for {TYPE}" in out
    assert AuditEntry.objects.get(action="create").detail == {"for": TYPE, "action": "revive"}
    whys = [json.loads(row) for row in out.splitlines() if row.startswith("{")]
    assert {"why": f"due now: a run revives them, because the policy for {TYPE} says so", "code": "REVIVE",
            "dead_letters": 1} in whys  # fmt: skip
