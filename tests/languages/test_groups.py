"""Messages of one group are handled one at a time, in order, however many workers there are."""


def test_three_workers_keep_the_order_of_each_group(world, start):
    for place in range(12):
        for group in range(3):
            world.send({"n": group * 100 + place, "seconds": 0.01 * (place % 3)}, group=f"customer-{group}")
    for _ in range(3):
        start()
    world.until(world.is_empty)
    handled = world.handled()
    assert len(handled) == 36
    for group in range(3):
        own = [number for number in handled if number // 100 == group]
        assert own == sorted(own)
