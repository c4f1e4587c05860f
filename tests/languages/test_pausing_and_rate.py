"""A paused queue gives nothing to anybody, and its rate holds for all consumers together."""


def test_nothing_of_a_paused_queue_is_handled(world, start):
    world.policy(paused=True)
    world.send({"n": 1}, {"n": 2})
    start()
    world.until(world.is_asleep)
    assert world.handled() == []
    world.sql.execute("UPDATE queues SET paused = false")
    world.until(world.is_empty)
    assert world.handled() == [1, 2]


def test_two_workers_take_no_more_than_the_queues_tokens(world, start):
    """Its bucket holds three, and a fourth comes in a day."""
    world.policy(rate_limit=0.00001)
    world.send(*({"n": number} for number in range(9)))
    world.sql.execute("INSERT INTO queue_tokens VALUES ('orders', 3, 0, clock_timestamp())")
    world.sql.execute("UPDATE queue_tokens SET tokens = 1")
    start()
    start()
    world.until(lambda: world.is_asleep(2))
    assert world.handled() == [0]


def test_who_waits_on_a_limited_queue_is_in_nobodys_way(world, start):
    """Its claim lasts, and holds neither the tokens nor anything else."""
    world.policy(rate_limit=100)
    start()
    world.until(world.is_asleep)
    world.send({"n": 1, "seconds": 0.5})
    world.until(world.is_empty)
    world.until(world.is_asleep)
    held = world.value(
        "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
        " WHERE a.usename = %s AND l.locktype = 'transactionid'",
        world.roles.prefix + "consumer",
    )
    assert (world.handled(), held) == ([1], 0)
