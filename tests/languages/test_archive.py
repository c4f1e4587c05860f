"""A queue that keeps what was completed keeps it whoever completes it."""


def test_what_a_worker_completes_is_archived(world, start):
    world.policy(retention="archive", archive_days=7)
    world.send({"n": 1}, {"n": 2})
    start()
    world.until(world.is_empty)
    kept = world.rows(
        "SELECT payload, keep_until > now() + interval '6 days' AS kept FROM message_archive ORDER BY id"
    )
    assert [(row["payload"]["n"], row["kept"]) for row in kept] == [(1, True), (2, True)]
