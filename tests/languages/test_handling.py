"""A worker in another language handles what is sent, and its queue's policy holds for it."""


def test_it_handles_what_is_sent_in_order(world, start):
    start()
    world.send(*({"n": number} for number in range(20)))
    world.until(world.is_empty)
    assert world.handled() == list(range(20))


def test_it_sees_the_bytes_that_json_cannot_hold(world, start):
    world.sql.execute("SELECT queue_send('orders', NULL, payload_raw => '\\xff00')")
    start()
    world.until(world.is_empty)
    assert world.value("SELECT raw FROM handled") == b"\xff\x00"
