"""One answer to "why not now, and until when": every face says the same, and what is counted adds up."""

import io
import json
import random
from collections import Counter
from datetime import timedelta
from html import unescape

import pytest
from django.core.management import call_command

from dlqconsole.engine import breakers
from dlqconsole.engine.access_scope import AccessScope, asking_as
from dlqconsole.engine.known_handlers import WORKER
from dlqconsole.engine.models import DeadLetter, HandlerReport, PacedGroup
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.policies import PolicyScope, keeping
from dlqconsole.retries.run import run
from dlqconsole.retries.why import Circumstances, answer, circumstances, why_not_counts
from tests.accounts import person
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db

TYPES = ("slow.sent", "limited.sent", "paused.sent", "broken.sent", "shut.sent", "off.sent", "free.sent")
WHY = "34 % of 210 failed again"


@pytest.fixture
def who(db) -> dict[str, str]:
    return {"actor": person("ann"), "reason": "billing moves"}


@pytest.fixture
def handled(db) -> None:
    """A worker has handlers for all of these types."""
    now = database_now()
    HandlerReport.objects.create(worker="w", role=WORKER, event_types=list(TYPES), seen_at=now)


@pytest.fixture
def held(handled, who) -> None:
    """Each type but the last is held by something else."""
    slow("slow.sent")
    keeping.add(PolicyScope("limited.sent"), {"rate": 0.1}, **who)
    keeping.pause(PolicyScope("paused.sent"), until=database_now() + timedelta(hours=1), **who)
    breakers.hold("type:broken.sent", "open", database_now() + timedelta(hours=1), "ann", "they move")
    keeping.add(PolicyScope("shut.sent"), shut(), **who)
    keeping.add(PolicyScope("off.sent"), {"enabled": False}, **who)


def slow(event_type: str) -> None:
    """Slow the failure group that a dead letter of it has, and no other of the type."""
    [letter] = waiting(1, event_type)
    values = {"event_type": event_type, "group_id": DeadLetter.objects.get(pk=letter).group_id}
    DeadLetter.objects.all().delete()
    PacedGroup.objects.create(**values, rate=1.0, floor=1, ceiling=500, why=WHY, slowed_at=database_now())


def shut() -> dict[str, object]:
    now = database_now()
    opens = now.time().replace(second=0, microsecond=0)
    day = (now + timedelta(days=1)).strftime("%a").lower()
    return {"window_days": day, "window_begins": opens, "window_ends": opens, "window_zone": "UTC"}


def waiting(number: int, event_type: str, **columns: object) -> list[int]:
    """So many that are due, one second after the other."""
    values = {"error_category": "TRANSIENT"} | columns
    return column(
        f"INSERT INTO dlq_events (event_type, payload, error_reason, retry_after, {', '.join(values)})"
        f" SELECT %s, '{{}}', 'Refused: no', now() - interval '1 day' + n * interval '1 second'"
        f" {', %s' * len(values)} FROM generate_series(1, %s) n RETURNING id",
        event_type, *values.values(), number,
    )  # fmt: skip


def about(letter_id: int):
    return answer(DeadLetter.objects.get(pk=letter_id), Circumstances.look())


def test_what_is_slowed_says_how_many_are_before_it_and_how_long_that_takes(held):
    ids = waiting(1_041, "slow.sent")
    last = about(ids[-1])
    assert last.sentence == (
        f"It is due, slowed to 60 a minute, because {WHY}: about 1,040 before it, some 17 min 21 s."
    )
    assert timedelta(minutes=17) < last.next - database_now() < timedelta(minutes=18)
    assert "it is the next, some 1 s" in about(ids[0]).sentence
    [slowed] = why_not_counts()
    assert (slowed.code, slowed.count) == ("PACE", 1_041)
    assert slowed.why == f"due, slowed to 60 a minute, because {WHY}: some 17 min 21 s for them all"


def test_another_failure_group_of_its_type_is_not_behind_it(held):
    ids = waiting(5, "slow.sent")
    [other] = waiting(1, "slow.sent", error_category="DEPENDENCY")
    assert about(other).code == "DUE"
    execute("UPDATE dlq_events SET retry_after = '2020-01-01' WHERE error_category = 'DEPENDENCY'")
    assert "about 4 before it" in about(ids[-1]).sentence
    assert {each.code: each.count for each in why_not_counts()} == {"DUE": 1, "PACE": 5}


def test_what_is_left_to_people_stands_in_nobodys_way_nor_hides_who_does(held, monkeypatch):
    monkeypatch.setattr(circumstances, "LOOK", 5)
    waiting(10, "slow.sent", error_category="BUSINESS")
    execute("UPDATE dlq_events SET retry_after = '2020-01-01'")
    ids = waiting(4, "slow.sent")
    assert "about 3 before it" in about(ids[-1]).sentence


def test_who_is_limited_is_told_nothing_of_what_others_wait_for(held):
    ids = waiting(5, "slow.sent")
    with asking_as(AccessScope.of([("slow.sent", "slow.sent")])):
        assert about(ids[-1]).sentence == f"It is due, slowed to 60 a minute, because {WHY}."
        [slowed] = why_not_counts()
    assert slowed.why == f"due, slowed to 60 a minute, because {WHY}"


def test_who_sees_a_part_of_a_group_is_told_no_figures_of_all_of_it(held):
    ids = waiting(5, "slow.sent")
    waiting(1, "slow.sent", queue="elsewhere")
    with asking_as(AccessScope.of([("slow.sent", "slow.sent")])):
        assert about(ids[-1]).sentence == "It is due, slowed to 60 a minute."
        [slowed] = why_not_counts()
    assert slowed.why == "due, slowed to 60 a minute"


def test_no_more_is_due_than_a_run_may_take(held, settings):
    settings.DLQ_RETRY_TIME_BUDGET = 100
    ids = waiting(25, "limited.sent")
    found = {each.code: each for each in why_not_counts()}
    assert {code: each.count for code, each in found.items()} == {"DUE": 10, "RATE": 15}
    assert "limited to 360 an hour by the policy for limited.sent, 10 in a run" in found["RATE"].why
    assert about(ids[9]).code == "DUE"
    eleventh = about(ids[10])
    assert "10 in a run: about 10 before it, some 1 min 50 s." in eleventh.sentence
    assert eleventh.next > database_now()


def test_while_a_run_goes_on_no_later_one_is_named(handled, viewer, capsys):
    run()
    [letter] = waiting(1, "free.sent")
    assert "the next run begins at 20" in about(letter).sentence
    execute("UPDATE retry_runs SET finished_at = NULL, heartbeat_at = now()")
    assert about(letter).sentence == "It is due: the run that goes on now takes it, if its time is enough."
    assert "after the one that goes on" in viewer.get("/schedules/").content.decode()
    call_command("schedule")
    assert "next run: after the one that goes on\n" in capsys.readouterr().out


def test_what_a_stopped_worker_holds_is_no_handler_that_runs(handled):
    lease = {"owner": "host:1", "lease_token": "00000000-0000-0000-0000-000000000001"}
    [letter] = waiting(1, "free.sent", status="RETRYING", lease_until="2020-01-01T00:00:00Z", **lease)
    assert about(letter).code == "LEASE"
    assert "the next tick takes it back" in about(letter).sentence
    assert [each.code for each in why_not_counts()] == ["LEASE"]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("is_on", [True, False])
def test_the_counts_are_the_answers_and_add_up_to_what_is_pending(held, settings, seed, is_on):
    settings.DLQ_RETRY_ENABLED, settings.DLQ_RETRY_TIME_BUDGET = is_on, 50
    draw = random.Random(seed)
    for _ in range(120):
        one = {
            "error_category": draw.choice(("TRANSIENT", "TRANSIENT", "DEPENDENCY", "BUSINESS", "PERMANENT")),
            "retry_count": draw.choice((0, 0, 3)),
            "max_retries": draw.choice((None, None, 3)),
            "error_reason": f"Refused: {draw.choice(('no', 'never'))}",
            "come_backs": draw.choice((0, 0, 0, 9)),
            "retry_after": f"20{draw.choice(('20', '20', '90'))}-01-01T00:00:{draw.randrange(60):02}Z",
        }
        names = ", ".join(one)
        execute(
            f"INSERT INTO dlq_events (event_type, payload, {names}) VALUES (%s, '{{}}'{', %s' * len(one)})",
            draw.choice((*TYPES, "nobody.knows")), *one.values(),
        )  # fmt: skip
    around = Circumstances.look()
    answers = Counter(answer(letter, around).code for letter in DeadLetter.objects.all())
    counted = Counter()
    for each in why_not_counts():
        counted[each.code] += each.count
    assert counted == answers
    assert counted.total() == DeadLetter.objects.filter(status="PENDING").count() == 120


@pytest.mark.parametrize(
    ("event_type", "words", "columns"),
    [
        ("slow.sent", f"slowed to 60 a minute, because {WHY}", {}),
        ("limited.sent", "limited to 360 an hour by the policy for limited.sent", {}),
        ("paused.sent", "paused paused.sent until 20", {}),
        ("broken.sent", "ann holds the breaker of ", {}),
        ("shut.sent", "window", {}),
        ("off.sent", "left to a person by the policy for off.sent", {}),
        ("free.sent", "used", {"retry_count": 3, "max_retries": 3}),
        ("free.sent", "BUSINESS failures", {"error_category": "BUSINESS"}),
        ("nobody.knows", "nobody.knows", {}),
    ],
)
def test_every_face_says_the_same(held, viewer, settings, event_type, words, columns):
    settings.DLQ_RETRY_TIME_BUDGET = 10
    ids = waiting(3, event_type, **columns)
    out = io.StringIO()
    call_command("deadletters", "show", str(ids[-1]), "--json", stdout=out)
    call_command("schedule", stdout=out)
    pages = [f"/dead-letters/{ids[-1]}/", "/dead-letters/", "/schedules/"]
    said = [unescape(" ".join(viewer.get(page).content.decode().split())) for page in pages]
    shown, schedule = json.loads(out.getvalue().splitlines()[0]), out.getvalue().split("dead letters:")[-1]
    faces = dict(zip((*pages, "show", "schedule"), (*said, shown["why_not_retried"], schedule), strict=True))
    assert [face for face, text in faces.items() if words not in text] == []
    assert "the next run begins" not in said[0]
