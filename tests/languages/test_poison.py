"""A message that ends its worker is charged alone, and after three times it is nobody's burden any more."""

RUN_OUT = "UPDATE message_queue SET lease_until = clock_timestamp() WHERE status = 'processing'"


def test_it_is_quarantined_after_three_and_its_neighbours_are_handled(world, start):
    world.send({"n": 1}, {"n": 2, "do": "die"}, {"n": 3}, {"n": 4})
    deaths = 0
    while not world.is_empty():
        worker = start()
        world.until(lambda worker=worker: worker.poll() is not None or world.is_empty())
        if worker.poll() is not None:
            deaths += 1
            world.sql.execute(RUN_OUT)
        else:
            worker.kill()
            worker.wait()
    [letter] = world.rows("SELECT * FROM dlq_events")
    assert deaths == 3
    assert (letter["status"], letter["payload"]["n"]) == ("QUARANTINED", 2)
    assert letter["error_class"] == "ConsumerCrashed"
    assert "stopped 3 times" in letter["error_reason"]
    assert (letter["retry_count"], letter["crash_count"]) == (3, 3)
    attempts = world.rows("SELECT outcome FROM dlq_attempts WHERE dlq_event_id = %s", letter["id"])
    assert len(attempts) == 3, "a claim that only finds it out is none"
    assert [number for number in world.handled() if number != 2] == [1, 3, 4]
