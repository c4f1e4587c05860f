"""Common traits of failures are found where they were planted, and none where there are none."""

import random

from dlqconsole.contrib.insight.statistics.common_ground import (
    ABSENT,
    BELOW,
    FROM,
    PRESENT,
    TYPE,
    VALUE,
    Trait,
    common_traits,
    tally,
)


def orders(count, seed, **changed):
    """Orders of a shop: some fields always, some sometimes, ids that never come twice."""
    chosen = random.Random(seed)
    for _ in range(count):
        order = {
            "id": str(chosen.getrandbits(60)),
            "carrier": chosen.choice(["UA", "DL", "AA", "MQ", "B6", "EV", "WN", "US"]),
            "price": round(chosen.uniform(1, 500), 2),
            "express": chosen.random() < 0.3,
            "items": [{"sku": f"S{chosen.randrange(300)}"} for _ in range(chosen.randrange(1, 4))],
        }
        if chosen.random() < 0.5:
            order["coupon"] = chosen.choice(["A", "B"])
        yield order | {name: make(chosen) for name, make in changed.items()}


def found(failures, successes):
    return {finding.trait: finding for finding in common_traits(tally(failures), tally(successes))}


SUCCESSES = list(orders(1_000, 1))


def test_nothing_is_found_where_failures_are_like_successes():
    for seed in range(4):
        assert found(orders(200, 100 + seed), SUCCESSES) == {}


def test_a_planted_value_is_found_with_its_figures():
    failing = list(orders(60, 2, carrier=lambda chosen: "MQ" if chosen.random() < 0.8 else "UA"))
    told = found(failing, SUCCESSES)
    assert set(told) == {Trait(VALUE, ("carrier",), "MQ")}
    [finding] = told.values()
    assert finding.failures == sum(order["carrier"] == "MQ" for order in failing)
    assert finding.successes == sum(order["carrier"] == "MQ" for order in SUCCESSES)
    assert (finding.of_failures, finding.of_successes) == (60, 1_000)
    assert 5 < finding.lift < 9
    assert finding.chance < 1e-9


def test_two_values_that_are_as_frequent_are_both_told():
    failing = [order | {"carrier": "XX" if n % 2 else "YY"} for n, order in enumerate(orders(60, 11))]
    assert set(found(failing, SUCCESSES)) == {
        Trait(VALUE, ("carrier",), "XX"), Trait(VALUE, ("carrier",), "YY"),
    }  # fmt: skip


def test_a_planted_type_is_one_finding_not_one_a_value():
    told = found(orders(60, 3, price=lambda chosen: str(chosen.choice([9, 19, 29]))), SUCCESSES)
    assert set(told) == {Trait(TYPE, ("price",), "text")}


def test_what_is_missing_and_what_is_new_are_found():
    failing = [order | {"rush": True} for order in orders(60, 4)]
    for order in failing:
        del order["items"]
    assert set(found(failing, SUCCESSES)) == {Trait(ABSENT, ("items",)), Trait(PRESENT, ("rush",))}


def test_a_range_of_numbers_is_found_once():
    told = found(orders(80, 5, price=lambda chosen: chosen.uniform(480, 500)), SUCCESSES)
    [trait] = told
    assert (trait.kind, trait.path) == (FROM, ("price",))
    assert 400 < trait.what <= 490
    [low] = found(orders(80, 6, price=lambda chosen: chosen.uniform(0, 5)), SUCCESSES)
    assert low.kind == BELOW


def test_an_element_of_a_list_is_found():
    told = found(
        orders(40, 7, items=lambda chosen: [{"sku": "S7"}, {"sku": f"S{chosen.randrange(300)}"}]), SUCCESSES
    )
    assert Trait(VALUE, ("items", "[]", "sku"), "S7") in told


def test_few_make_no_claim():
    planted = list(orders(5, 8, carrier=lambda _: "XX"))
    assert found(planted, SUCCESSES) == {}
    assert found(orders(60, 9, carrier=lambda _: "XX"), SUCCESSES[:20]) == {}
    # ids come once each, however many there are
    assert found(orders(2_000, 10), SUCCESSES) == {}


def test_one_and_true_are_two_values():
    failing = [{"flag": 1}] * 30
    succeeding = [{"flag": True}] * 100
    assert {trait.kind for trait in found(failing, succeeding)} == {TYPE}


def test_masked_values_are_no_type_of_their_own():
    failing = [{"mail": "ann@example.org"}] * 30
    succeeding = [{"mail": "‹email›"}] * 100
    assert not any(trait.kind == TYPE for trait in found(failing, succeeding))
