"""Dead letters by the ten thousand are revived while everything that can go wrong does, at once."""

import os
import random
import signal
import time
from collections.abc import Iterator

import pytest

from tests.faults.arrivals import Arrivals
from tests.faults.console import Console
from tests.faults.letters import AS_IT_IS, QUEUES, REASON, fill, keep_ledger, refuse, remember
from tests.faults.operation_verdict import OVER, judge_operations
from tests.faults.person import Person
from tests.faults.world import World
from tests.sizes import sized

pytestmark = pytest.mark.faults

LETTERS = sized(2_500, 100_000)
# so many that came too late are counted on a receipt
MOST_SAID = 1_000
# at which of its pages a worker may die
PAGES = sized(4, 8), sized(15, 30)
SEED = int(os.environ.get("FAULTS_SEED", "0")) or random.SystemRandom().randrange(1, 10**6)
UNDONE, UNDO_SECONDS = sized(2_000, 20_000), 5
WATCHED = sized(1_000, 3_000)
KILLS = 3
# no longer than this from one of them to the next
PHASE_SECONDS = sized(4, 12)
SETTLED = "SELECT done + skipped + failed FROM operations WHERE id = %s"
STATUS = "SELECT status FROM operations WHERE id = %s"
NOTE = "SELECT note FROM operations WHERE id = %s"
STAGE = "SELECT stage, done FROM operations WHERE id = %s"
CALLED_OR_DUE = """
    SELECT CASE WHEN %s THEN EXISTS (SELECT FROM calls)
        ELSE EXISTS (SELECT FROM operations WHERE undo_until < clock_timestamp() + interval '0.5 s') END
"""
CHANGED_THOUGH_PULLED_BACK = f"""
    SELECT count(*) FROM operation_items i JOIN operations o ON o.id = i.operation_id AND o.kind = 'undo'
    JOIN dlq_events e ON e.id = i.dead_letter_id JOIN before b ON b.id = e.id
    WHERE i.status = 'done' AND {AS_IT_IS} <> b.whole
"""
ALL_RELEASED = (
    "SELECT NOT EXISTS (SELECT FROM operations WHERE undo_until IS NOT NULL AND released_at IS NULL)"
)

PROGRESS = "SELECT sum(selected + done + skipped + failed) + count(released_at) FROM operations"


@pytest.fixture
def draw() -> random.Random:
    return random.Random(SEED)


@pytest.fixture
def console(world: World, draw: random.Random) -> Iterator[Console]:
    for queue in QUEUES:
        world.set_policy(queue, lease_seconds=30)
    keep_ledger(world.sql)
    console = Console(world, draw)
    yield console
    console.close()


@pytest.fixture
def arrivals(world: World) -> Iterator[Arrivals]:
    arrivals = Arrivals(world)
    yield arrivals
    arrivals.stop()


@pytest.fixture
def consume(world: World, console: Console):
    """Start consumers of all the queues; consume.stop() lets each finish the message in hand."""
    started = []

    def start(number: int = 1) -> None:
        for _ in range(number):
            started.append(
                world.consume(*("--batch", "50", "--verbosity", "0"), queues=QUEUES, **console.environment)
            )

    def stop() -> None:
        for consumer in started:
            consumer.send_signal(signal.SIGTERM)
        assert [consumer.wait(30) for consumer in started] == [0] * len(started)

    start.stop = stop
    return start


def test_every_number_is_true_whatever_dies(world, console, consume, arrivals, draw, capsys):
    begun = time.monotonic()
    fill(world.sql, draw, LETTERS)
    remember(world.sql)
    refuse(world.sql, draw, 5)
    alice, bob = (Person(world, name, **console.environment) for name in ("alice", "bob"))
    filled = time.monotonic()
    console.work(_crash_point(draw))
    consume(2)
    arrivals.start()
    world.until(lambda: len(arrivals.ids) > 5)

    # at a rate, or a quick machine is through before the last fault
    revive = alice.request("revive", filter={"reason": REASON}, expected=LETTERS, rate=LETTERS // 5)
    confirmed = time.monotonic()
    world.until(lambda: console.tend() or world.count(SETTLED, revive) > 0, 60)
    discard = bob.request("discard", filter={"reason": REASON, "category": "DEPENDENCY"})
    ticked = draw.sample(range(1, LETTERS + 1), min(10_000, LETTERS // 5))
    again = bob.request("revive", ids=ticked, parameters={"undo_seconds": 1})

    for place in sorted(draw.uniform(0.02, 0.85) for _ in range(KILLS)):
        _harm_until(console, draw, lambda place=place: world.count(SETTLED, revive) > place * LETTERS)
        assert world.count(STATUS, revive) in ("freezing", "running"), "it was over before the faults were"
        console.kill_worker()
        console.flush()
        console.end_sessions()
        console.work(_crash_point(draw) if console.faults["worker killed (kill -9)"] == 1 else "")
    harmed = time.monotonic()
    _until_over(world, console)
    healed = time.monotonic()
    arrivals.stop()
    cutoff = world.count("SELECT cutoff_id FROM operations WHERE id = %s", revive)
    late = {letter_id for _, letter_id in arrivals.ids if letter_id > cutoff}
    said_late = alice.later_arrivals(revive)
    consume.stop()
    verdict = judge_operations(world.sql)
    wrong_figures = alice.rollups()

    with capsys.disabled():
        print(f"\n  seed {SEED}: {LETTERS:,} dead letters, 1 worker of 2, 2 consumers, 2 operators")
        print(f"  {'died at a named place (kill -9)':<36}{console.died_at_crash_points():>10,}")
        for fault, times in sorted(console.faults.items()):
            print(f"  {fault:<36}{times:>10,}")
        print(verdict)
        print(f"  {'too late, and said so on the receipt':<36}{said_late:>10,}")
        print(f"  {'figures unlike the truth':<36}{len(wrong_figures):>10,}")
        print(
            f"  filled in {filled - begun:.0f} s; harmed until {harmed - filled:.0f} s;"
            f" all over {healed - harmed:.1f} s after the last fault; {time.monotonic() - begun:.0f} s in all"
        )
    assert console.faults["worker killed (kill -9)"] >= 3
    assert console.faults["Valkey flushed"] >= 1
    assert console.faults["session ended"] >= 1
    assert verdict.faultless
    assert wrong_figures == []
    receipts = verdict.operations
    assert {receipts[number].status for number in (revive, discard, again)} == {"completed"}
    assert receipts[revive].selected >= LETTERS
    assert receipts[revive].failed + receipts[again].failed >= receipts[revive].failed > 0
    assert min(receipts[number].skipped for number in (revive, discard, again)) > 0
    assert said_late == min(len(late), MOST_SAID) > 0
    assert late >= set(arrivals.after(confirmed))
    assert world.count("SELECT count(*) FROM dlq_events WHERE status = 'SUCCEEDED' AND revive_count > 0") > 0


def test_an_undo_amid_kills_and_consumers_adds_up(world, console, consume, draw, capsys):
    fill(world.sql, draw, UNDONE)
    remember(world.sql)
    alice = Person(world, "alice", **console.environment)
    console.work()
    consume(2)
    revive = alice.request(
        "revive", filter={"reason": REASON}, rate=UNDONE // 2, parameters={"undo_seconds": UNDO_SECONDS}
    )
    place = draw.uniform(0.4, 0.8) * UNDONE
    world.until(lambda: world.count(SETTLED, revive) > place, 60)
    assert alice.cancel(revive)
    world.until(lambda: world.count(STATUS, revive) == "cancelled")
    early = world.count("SELECT count(*) FROM calls")
    # just before the window has passed, or when consumers have begun to take what was released
    started = draw.choice([False, True, True])
    world.until(lambda: world.count(CALLED_OR_DUE, started), 60)
    undo = alice.undo(revive)
    place = draw.uniform(0.0, 0.5) * place
    world.until(lambda: world.count(SETTLED, undo) > place, 60)
    assert world.count(STATUS, undo) == "running", "it was over before the faults were"
    console.kill_worker()
    console.flush()
    console.end_sessions()
    console.work()
    harmed = time.monotonic()
    _until_over(world, console)
    healed = time.monotonic()
    consume.stop()
    verdict = judge_operations(world.sql)
    changed = world.count(CHANGED_THOUGH_PULLED_BACK)

    with capsys.disabled():
        print(f"\n  seed {SEED}: a revive of {UNDONE:,}, cancelled and undone, consumers first: {started}")
        for fault, times in sorted(console.faults.items()):
            print(f"  {fault:<36}{times:>10,}")
        print(verdict)
        print(f"  {'pulled back, and not as before':<36}{changed:>10,}")
        print(f"  all over {healed - harmed:.1f} s after the last fault")
    assert verdict.faultless
    assert early == changed == 0
    receipts = verdict.operations
    assert receipts[undo].status == "completed"
    assert 0 < receipts[revive].done < receipts[revive].selected
    assert receipts[undo].done + receipts[undo].skipped == receipts[undo].selected == receipts[revive].done
    assert receipts[undo].done > 0


@pytest.mark.parametrize("doing", ["succeed", "refuse"])
def test_a_canary_moves_no_more_than_its_stage_whoever_dies(world, console, consume, draw, capsys, doing):
    fill(world.sql, draw, WATCHED, do=doing, status="PENDING", poison=0.0)
    remember(world.sql)
    alice = Person(world, "alice", **console.environment)
    console.work()
    canary = {"probes": 5, "threshold": 10, "watch_seconds": 30}
    revive = alice.request("revive", filter={"reason": REASON}, parameters={"canary": canary})
    world.until(lambda: "Watches" in world.count(NOTE, revive), 60)
    console.kill_worker()
    console.work()
    consume()
    seen, killed = [], False
    begun = time.monotonic()
    while world.count(STATUS, revive) not in ("completed", "halted"):
        assert time.monotonic() - begun < 60, world.count(NOTE, revive)
        console.tend()
        seen.append(world.sql.execute(STAGE, [revive]).fetchone())
        if seen[-1][0] == 1 and not killed:
            killed = True
            console.kill_worker()
            console.work()
        time.sleep(0.02)
    consume.stop()
    verdict = judge_operations(world.sql)
    receipt = verdict.operations[revive]
    with capsys.disabled():
        print(f"\n  seed {SEED}: a canary of {WATCHED:,} whose handlers {doing}; stages seen:")
        for stage in sorted({stage for stage, _ in seen}):
            print(f"  stage {stage}: at most {max(done for at, done in seen if at == stage):,} moved")
        print(verdict)
    most = {0: 5, 1: WATCHED // 100, 2: WATCHED // 10, 3: WATCHED}
    assert all(done <= most[stage] for stage, done in seen)
    assert verdict.faultless
    if doing == "succeed":
        assert (receipt.status, receipt.done) == ("completed", WATCHED)
    else:
        assert (receipt.status, receipt.done) == ("halted", 5)
        assert world.count("SELECT count(*) FROM sent") == 5


def _crash_point(draw: random.Random) -> str:
    return draw.choice(
        ["operation.frozen:1", *(f"operation.{name}:{draw.randint(*PAGES)}" for name in ("paging", "paged"))]
    )


def _until_over(world: World, console: Console) -> None:
    """Wait until all is over, however slow the machine: what makes no progress for a minute is stuck."""

    def over() -> object:
        console.tend()
        return world.count(OVER) and world.count(ALL_RELEASED)

    while not over():
        before = world.count(PROGRESS)
        world.until(lambda before=before: over() or world.count(PROGRESS) != before, 60)


def _harm_until(console: Console, draw: random.Random, condition) -> None:
    """Small harm, one after the other, until something is so, or has had time enough."""
    deadline = time.monotonic() + PHASE_SECONDS
    while not condition() and time.monotonic() < deadline:
        until = time.monotonic() + draw.uniform(1.5, 5.0)
        while time.monotonic() < until and not condition():
            console.tend()
            time.sleep(0.05)
        if not condition():
            draw.choice([console.kill_child, console.flush, console.end_sessions, console.end_sessions])()
