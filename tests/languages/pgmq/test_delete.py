"""Deleting and archiving by number: what one has read, or nobody holds; never what another one has read."""

import pytest

ARCHIVED = "SELECT id FROM message_archive ORDER BY id"
AUDITED = "SELECT action, target FROM audit_log ORDER BY id DESC LIMIT 1"


@pytest.fixture(params=["delete", "archive"])
def action(request):
    return request.param


@pytest.fixture
def kept(world, action):
    """What the archive has after such an action."""

    def numbers(*those):
        assert [row["id"] for row in world.rows(ARCHIVED)] == (list(those) if action == "archive" else [])

    return numbers


def test_what_one_has_read_goes_once(ann, action, kept, status):
    number = ann.send("orders", {"n": 1})
    ann.read("orders")
    assert getattr(ann, action)("orders", number) is True
    assert (status(number), getattr(ann, action)("orders", number)) == (None, False)
    kept(number)


def test_what_nobody_holds_goes_and_is_audited(ann, action, kept, status, world):
    number = ann.send("orders", {"n": 1}, delay=60)
    assert getattr(ann, action)("orders", number) is True
    assert status(number) is None
    assert world.sql.execute(AUDITED).fetchone() == (f"{action}_message", f"message:{number}")
    kept(number)


def test_what_another_one_has_read_stays(ann, bob, action, kept, status):
    number = ann.send("orders", {"n": 1})
    ann.read("orders")
    assert getattr(bob, action)("orders", number) is False
    assert status(number) == "processing"
    kept()


def test_who_comes_too_late_changes_nothing(ann, bob, action, status, the_vt_is_over):
    number = ann.send("orders", {"n": 1})
    ann.read("orders")
    the_vt_is_over()
    assert bob.read("orders").msg_id == number
    assert getattr(ann, action)("orders", number) is False
    assert getattr(bob, action)("orders", number) is True
    assert status(number) is None


def test_a_batch_of_both_says_what_went(ann, bob, action, status):
    his, *hers = ann.send_batch("orders", [{"n": 1}, {"n": 2}, {"n": 3}])
    bob.read("orders")
    ann.read("orders")
    assert sorted(getattr(ann, f"{action}_batch")("orders", [his, *hers, 999_999])) == hers
    assert status(his) == "processing"


def test_it_goes_with_the_callers_transaction(ann, action, status):
    number = ann.send("orders", {"n": 1})
    ann.read("orders")
    with ann.pool.connection() as session:
        assert getattr(ann, action)("orders", number, conn=session)
        session.rollback()
    assert status(number) == "processing"
    assert getattr(ann, action)("orders", number)


def test_a_client_forgets_what_it_read_long_ago(ann):
    ann.remembered = 2
    numbers = ann.send_batch("orders", [{"n": 1}, {"n": 2}, {"n": 3}])
    ann.read("orders", qty=3)
    assert sorted(ann.delete_batch("orders", numbers)) == numbers[1:]
