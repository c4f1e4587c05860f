"""While a bank is away its tasks wait in their queue; when it is back each is done, and none twice."""

import time
from collections import Counter

import pytest

from tests.clients.celery.bank import Bank
from tests.clients.celery.shop import application
from tests.sizes import SOAK

pytestmark = pytest.mark.django_db(transaction=True)

PAY, GATE = "shop.pay", "flood:shop.pay"


@pytest.fixture
def bank():
    bank = Bank()
    yield bank
    bank.close()


@pytest.fixture
def gate(shop):
    """``gate("waits")`` is a column of the gate's row, as soon as there is one."""
    shop.roles.owner().execute("DELETE FROM breakers")
    return lambda column: shop.value(f"SELECT {column} FROM breakers WHERE key = %s", GATE)


def number_of(shop):
    """The number of dead letters."""
    return shop.value("SELECT count(*) FROM dlq_events")


def test_an_outage_is_a_few_dead_letters_and_all_are_done_when_it_is_over(shop, bank, gate):
    tasks = application(shop)
    count = 100
    results = {str(number): tasks.pay.delay(bank.port, number).id for number in range(count)}
    shop.until(lambda: number_of(shop) + (gate("waits") or 0) == count, 60)
    assert len(shop.letters()) <= 25
    # of two that come now one is of a chain, and one of a chord
    tasks.chain(tasks.pay.s(bank.port, "chained"), tasks.ship.s("o1")).apply_async()
    tasks.chord([tasks.pay.s(bank.port, "part")], tasks.ship.s("o2")).apply_async()
    shop.until(lambda: number_of(shop) + gate("waits") == count + 2)
    assert bank.booked == Counter()
    bank.open()
    shop.roles.owner().execute("UPDATE breakers SET next_probe_at = now()")
    failed = {letter["source_key"] for letter in shop.letters()}
    waited = {f"{number} 0" for number, key in results.items() if key not in failed}
    # none of them has used up a retry
    expected = Counter({*waited, "chained 0", "part 0"})
    shop.until(lambda: bank.booked == expected, 60)
    shop.until(lambda: sorted(shop.done()) == ["ship 'chained', 'o1'", "ship ['part'], 'o2'"])
    assert gate("state") == "closed"
    shop.revive(*shop.letters())
    shop.until(lambda: not shop.letters("status <> 'SUCCEEDED'"))
    assert set(bank.booked.values()) == {1}
    assert len(bank.booked) == count + 2
    assert tasks.app.AsyncResult(results[waited.pop().split()[0]]).result is not None


@pytest.mark.sized
@pytest.mark.skipif(not SOAK, reason="it takes minutes: make soak")
def test_twenty_thousand_tasks_and_a_minute_without_the_bank(shop, bank, gate, capsys):
    tasks = application(shop)
    shop.workers[-1].terminate()
    shop.workers[-1].wait()
    shop.environment |= {"SHOP_DRAIN_RATE": "100", "SHOP_GATE_WAIT": "0.04"}
    shop.start("-c", "6", "--loglevel=WARNING")
    bank.open()
    for number in range(20_000):
        tasks.pay.delay(bank.port, number)
    shop.until(lambda: len(bank.booked) > 500, 120)
    begun = time.monotonic()
    bank.close()
    before = len(bank.booked)
    time.sleep(60)
    asked, waits = gate("failures"), gate("waits")
    bank.open()
    shop.until(lambda: len(bank.booked) + number_of(shop) == 20_000, 1_200)
    seconds = time.monotonic() - begun - 60
    letters = shop.letters()
    shop.revive(*letters)
    shop.until(lambda: not shop.letters("status <> 'SUCCEEDED'"), 120)
    with capsys.disabled():
        print(
            f"\n{before:,} were done before the outage. In it {len(letters)} became dead letters, {waits:,}"
            f" waited, {asked} asked the bank. The rest was done {seconds:.0f} s after it."
        )
    assert len(letters) <= 100
    assert len(bank.booked) == 20_000
    assert set(bank.booked.values()) == {1}
