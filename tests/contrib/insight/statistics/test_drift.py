"""Drift is told where there is one, within its hour; what is merely random is never told."""

import random

from dlqconsole.contrib.insight.statistics.drift import Hour, changes
from dlqconsole.contrib.insight.statistics.payload_paths import places, type_of, words


def hour_of(payloads):
    """Return the console's sums of an hour in which all payloads were looked at."""
    hour = Hour()
    for payload in payloads:
        hour.events += 1
        hour.payloads += 1
        kinds = {}
        for path, value in places(payload):
            kinds.setdefault(words(path), type_of(value))
        for path, kind in kinds.items():
            seen = hour.paths[path]
            seen.events += 1
            seen.payloads += 1
            seen.types[kind] += 1
    return hour


def orders(chosen, count):
    """Optional fields of every frequency, one that is null at times, one of two types, lists."""
    for _ in range(count):
        order = {"price": chosen.uniform(1, 9), "lines": [{"sku": "A"}] * chosen.randrange(4)}
        order["note"] = None if chosen.random() < 0.4 else "x"
        order["size"] = chosen.choice([1, "L"])
        for share in (1, 5, 20, 50, 80, 97):
            if chosen.random() < share / 100:
                order[f"optional_{share}"] = {"at": 1}
        yield order


def told(before, now):
    return {(change.path, change.kind, change.before, change.after) for change in changes(before, now)}


def hours(count, seed, fewest=25, most=120):
    chosen = random.Random(seed)
    return [hour_of(orders(chosen, chosen.randrange(fewest, most))) for _ in range(count)]


def test_a_hundred_hours_of_stable_data_tell_nothing():
    for seed in range(1):
        series = hours(112, seed)
        for number in range(12, 112):
            assert told(series[number - 12 : number], series[number]) == set()


def changed(change, seed=7, count=40):
    payloads = list(orders(random.Random(seed), count))
    for payload in payloads:
        change(payload)
    return hour_of(payloads)


def test_a_new_type_is_found_in_its_hour():
    now = changed(lambda order: order.update(price=str(order["price"])))
    assert told(hours(12, 1), now) == {("price", "became", "number", "text")}


def test_what_appears_is_found_once_with_all_that_is_in_it():
    now = changed(lambda order: order.update(discount={"code": "A", "rate": 1}))
    assert told(hours(12, 2), now) == {("discount", "appeared", "", "object")}


def test_what_vanishes_is_found_and_so_is_an_optional_field_that_most_had():
    now = changed(lambda order: (order.pop("price"), order.pop("optional_80", None)))
    assert told(hours(12, 3), now) == {
        ("price", "vanished", "number", ""), ("optional_80", "vanished", "object", ""),
    }  # fmt: skip


def test_half_an_hour_of_it_is_enough_for_what_appears():
    now = changed(lambda order: order.update(discount=1) if order["price"] < 5 else None)
    assert ("discount", "appeared", "", "number") in told(hours(12, 4), now)


def test_few_payloads_tell_nothing():
    now = changed(lambda order: order.pop("price"), count=15)
    assert told(hours(12, 5), now) == set()
    assert told(hours(1, 5, 25, 26), changed(lambda order: order.pop("price"))) == set()


def test_what_comes_back_at_times_is_not_told_again():
    """A field of a nightly batch: there was an hour like this before."""
    batch = changed(lambda order: order.update(batch=1), seed=8)
    before = [*hours(11, 6), batch]
    assert told(before, changed(lambda order: order.update(batch=1))) == set()


def test_a_list_that_became_an_object_takes_what_was_in_it_along():
    now = changed(lambda order: order.update(lines={"first": {"sku": "A"}}), count=60)
    assert ("lines", "became", "list", "object") in told(hours(12, 9), now)
    assert not any(path.startswith("lines") and path != "lines" for path, *_ in told(hours(12, 9), now))


def test_what_is_masked_on_one_side_is_no_change():
    before = [hour_of([{"ssn": "‹national id›"}] * 40) for _ in range(4)]
    assert told(before, hour_of([{"ssn": 7}] * 40)) == set()
