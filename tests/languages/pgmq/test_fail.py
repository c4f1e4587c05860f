"""A failure: said, or by never deleting. Either way it ends as a dead letter."""

LETTERS = "SELECT error_reason, status, queue FROM dlq_events"


def test_what_failed_is_tried_again_and_then_a_dead_letter(ann, world):
    world.policy(max_retries=1, backoff_base_seconds=0)
    number = ann.send("orders", {"n": 1})
    ann.read("orders")
    assert ann.fail("orders", number, "Timeout: no answer") == "retry"
    assert ann.read("orders").read_ct == 2
    assert ann.fail("orders", number, "Timeout: no answer") == "dead_letter"
    assert world.rows(LETTERS) == [
        {"error_reason": "Timeout: no answer", "status": "PENDING", "queue": "orders"}
    ]


def test_who_does_not_hold_it_says_nothing(ann, bob, world):
    number = ann.send("orders", {"n": 1})
    ann.read("orders")
    assert bob.fail("orders", number, "Mine: no") is None
    assert world.rows(LETTERS) == []


def test_what_is_read_again_and_again_and_never_deleted_is_quarantined(ann, world, the_vt_is_over):
    ann.send("orders", {"n": 1})
    for _ in range(3):
        assert ann.read("orders") is not None
        the_vt_is_over()
    assert ann.read("orders") is None
    [letter] = world.rows(LETTERS)
    assert (letter["status"], letter["error_reason"].partition(":")[0]) == ("QUARANTINED", "ConsumerCrashed")
