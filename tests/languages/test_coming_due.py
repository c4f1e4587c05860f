"""What is sent for later, or tried again, has its turn on a queue that is never empty."""

import json


def test_a_busy_queue_gives_what_has_come_due(world):
    world.policy(backoff_base_seconds=0.001, backoff_jitter=0, max_retries=3)
    world.send(*({"n": number} for number in range(50)))
    late = world.value(
        "SELECT queue_send('orders', %s, delay_seconds => 0.01, priority => 1)", json.dumps({})
    )
    world.value("SELECT pg_sleep(0.02)")
    assert world.consumer.execute("SELECT id FROM queue_claim('orders')").fetchone() == (late,)
