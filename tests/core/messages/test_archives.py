"""The archive keeps each message as long as it was promised, whatever becomes of its queue meanwhile."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction

from dlqconsole.core import messages
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.core.handling import HandlerResult, Identity
from dlqconsole.core.messages import NewMessage, archives
from dlqconsole.engine.database import sessions
from dlqconsole.engine.models import ArchivedMessage, AuditEntry, Message, Queue
from dlqconsole.engine.queues import archive as archived_messages
from dlqconsole.engine.queues import changes as queues
from dlqconsole.processing.outcomes import Succeeded
from tests.plain_sql import execute, rows

pytestmark = pytest.mark.django_db

WHO = {"actor": "user:ann", "reason": "because"}
DAY = timedelta(days=1)
ADD = (
    "INSERT INTO message_archive (id, queue, headers, priority, retry_count, created_at, archived_at,"
    " keep_until) SELECT n, %s, '{}', 0, 1, now(), now() - make_interval(hours => %s * 24),"
    " now() + make_interval(hours => %s * 24) FROM generate_series(1, %s) n"
)


def add(queue, *, ago=0, ahead, count=1):
    """Messages archived some days ago, kept until some days ahead."""
    execute(ADD, queue, ago, ahead, count)


def archive(queue, count=1):
    """Archive messages as a consumer does."""
    messages.send_many(queue, [NewMessage(str(number)) for number in range(count)])
    messages.complete(messages.claim(queue, count, "me", 60))


def kept_days(queue):
    """For how many days each archived message of a queue is kept, the oldest first."""
    rows = ArchivedMessage.objects.filter(queue=queue).order_by("archived_at")
    return [(row.keep_until - row.archived_at) / DAY for row in rows]


def make_past(*queues):
    """As if these queues' messages had been promised until three days ago; the partition of that day."""
    first = datetime.now(UTC).date() - 3 * DAY
    name, moment = f"message_archive_until_{first:%Y%m%d}", f"{first} 12:00+00"
    execute(
        f"CREATE TABLE {name} PARTITION OF message_archive"
        f" FOR VALUES FROM ('{first} 00:00+00') TO ('{first + DAY} 00:00+00')"
    )
    execute("UPDATE message_archive SET keep_until = %s WHERE queue = ANY (%s)", moment, list(queues))
    return name


def expired():
    """What the audit log says of what went: where it stood, and how many of each queue."""
    entries = AuditEntry.objects.filter(action="expire").order_by("id")
    return [(entry.target, entry.detail["messages"], entry.detail["queues"]) for entry in entries]


def test_each_archived_message_is_kept_as_its_queue_said_then():
    queues.create("orders", **WHO, retention="archive", archive_days=365)
    archive("orders")
    queues.change("orders", **WHO, archive_days=7)
    archive("orders")
    queues.change("orders", **WHO, archive_days=90)
    archive("orders")
    assert kept_days("orders") == [365, 7, 90]


def complete_handled(claims):
    """Complete with what a handler returned."""
    return messages.complete_handled(
        [(one, HandlerResult(Identity("q", "queue:q", str(one.id)), Succeeded({}, "{}"))) for one in claims]
    )


@pytest.mark.parametrize("leave", [messages.complete, messages.archive, complete_handled])
def test_all_ways_into_the_archive_promise_the_same(leave):
    Queue.objects.create(name="orders", retention="archive", archive_days=12)
    messages.send_many("orders", [NewMessage("{}")] * 3)
    assert len(leave(messages.claim("orders", 3, "me", 60))) == 3
    assert kept_days("orders") == [12, 12, 12]


def test_a_queue_that_nobody_created_keeps_what_is_archived_for_30_days():
    messages.send("orders", "1")
    messages.archive(messages.claim("orders", 1, "me", 60))
    assert kept_days("orders") == [30]


def test_a_policy_of_ten_thousand_years_stops_no_consumer():
    Queue.objects.create(name="orders", retention="archive", archive_days=2_000_000_000)
    archive("orders")
    assert kept_days("orders") == [36_500]
    archives.keep()
    assert ArchivedMessage.objects.count() == 1


@pytest.mark.parametrize(
    "lose",
    [
        lambda: queues.drop("year", **WHO),
        lambda: queues.change("year", **WHO, archive_days=1),
        lambda: queues.change("year", **WHO, retention="delete"),
        lambda: Queue.objects.all().delete(),
    ],
    ids=["dropped", "shortened", "deletes now", "by plain SQL"],
)
def test_what_becomes_of_a_queue_costs_nobody_what_is_archived(lose):
    queues.create("year", **WHO, retention="archive", archive_days=365)
    queues.create("month", **WHO, retention="archive", archive_days=60)
    archive("year", 3)
    archive("month", 3)
    add("year", ago=200, ahead=165)
    add("month", ago=50, ahead=10)
    archives.keep()
    lose()
    archives.keep()
    assert sorted(ArchivedMessage.objects.values_list("queue", flat=True)) == ["month"] * 4 + ["year"] * 4
    assert expired() == []


def test_what_outlived_its_time_goes_with_its_partition_and_is_counted():
    add("week", ago=10, ahead=1, count=300)
    add("year", ago=368, ahead=1, count=20)
    add("other", ago=10, ahead=1, count=5)
    name = make_past("week", "year")
    day = datetime.strptime(name[-8:], "%Y%m%d").date()
    archives.keep()
    assert rows("SELECT to_regclass(%s)", name) == [(None,)]
    assert expired() == [(f"archive:{day}", 320, {"week": 300, "year": 20})]
    assert ArchivedMessage.objects.count() == 5
    archives.keep()
    assert len(expired()) == 1


def test_a_partition_goes_when_its_day_is_over_not_before():
    add("orders", ahead=0)
    archives.prepare()
    [[partition]] = rows("SELECT tableoid::regclass::text FROM message_archive")
    assert partition == f"message_archive_until_{datetime.now(UTC):%Y%m%d}"
    archives.keep()
    assert ArchivedMessage.objects.count() == 1


def test_an_empty_partition_goes_without_a_word():
    name = make_past("nobody")
    archives.keep()
    assert rows("SELECT to_regclass(%s)", name) == [(None,)]
    assert expired() == []


def test_what_no_partition_was_ready_for_moves_to_its_day():
    add("orders", ahead=400, count=7)
    assert rows("SELECT count(*) FROM message_archive_unplaced") == [(7,)]
    archives.keep()
    assert rows("SELECT count(*) FROM message_archive_unplaced") == [(0,)]
    assert ArchivedMessage.objects.count() == 7


def test_what_outlived_its_time_unplaced_is_deleted_in_pages_and_counted(monkeypatch):
    monkeypatch.setattr(archives, "PAGE", 4)
    monkeypatch.setattr(archives, "PAGES", 2)
    add("week", ago=10, ahead=-2, count=10)
    add("year", ago=10, ahead=200, count=1)
    archives.keep()
    assert ArchivedMessage.objects.filter(queue="week").count() == 2, "no more than was allowed at once"
    archives.keep()
    assert list(ArchivedMessage.objects.values_list("queue", flat=True)) == ["year"]
    assert expired() == [("archive:unplaced", count, {"week": count}) for count in (4, 4, 2)]


def test_a_turn_drops_no_more_partitions_than_allowed(monkeypatch):
    monkeypatch.setattr(archives, "PARTITIONS", 1)
    add("week", ago=10, ahead=1, count=3)
    make_past("week")
    earlier = "message_archive_until_20200101"
    bounds = "FROM ('2020-01-01Z') TO ('2020-01-02Z')"
    execute(f"CREATE TABLE {earlier} PARTITION OF message_archive FOR VALUES {bounds}")
    archives.drop_outlived()
    assert rows("SELECT to_regclass(%s)", earlier) == [(None,)]
    assert ArchivedMessage.objects.count() == 3
    archives.drop_outlived()
    assert ArchivedMessage.objects.count() == 0


def test_a_partition_is_there_as_soon_as_a_policy_asks_for_it():
    queues.create("orders", **WHO, retention="archive", archive_days=77)
    archive("orders")
    queues.change("orders", **WHO, archive_days=78)
    archive("orders")
    assert rows("SELECT count(*) FROM message_archive_unplaced") == [(0,)]
    assert kept_days("orders") == [77, 78]


def test_a_person_keeps_single_messages_longer_by_plain_sql():
    archive_for = {"retention": "archive", "archive_days": 1}
    queues.create("orders", **WHO, **archive_for)
    archive("orders", 2)
    [first, second] = ArchivedMessage.objects.order_by("id")
    execute("UPDATE message_archive SET keep_until = keep_until + interval '5 years' WHERE id = %s", first.pk)
    archives.keep()
    kept = ArchivedMessage.objects.get(pk=first.pk)
    assert (kept.keep_until - second.keep_until).days >= 1825
    assert ArchivedMessage.objects.count() == 2


def test_what_is_kept_without_an_end_is_refused():
    archive_one = ADD.replace("now() + make_interval(hours => %s * 24)", "%s")
    with pytest.raises(Exception, match="message_archive_moments"), transaction.atomic():
        execute(archive_one, "orders", 0, "infinity", 1)


def test_shortening_costs_what_it_said_and_only_what_was_archived_until_then():
    queues.create("orders", **WHO, retention="archive", archive_days=365)
    add("orders", ago=200, ahead=165, count=30)
    add("orders", ago=3, ahead=362, count=12)
    add("orders", ago=3, ahead=2, count=5)
    add("bills", ago=200, ahead=165, count=9)
    archives.keep()
    before = archived_messages.now()
    assert archived_messages.cost("orders", 7, before) == archived_messages.Cost(42, 30)
    archive("orders")
    queues.change("orders", **WHO, archive_days=7)
    done = archived_messages.shorten("orders", 7, before, **WHO)
    assert (done.deleted, done.shortened, done.left) == (30, 12, 0)
    assert sorted(map(round, kept_days("orders"))) == [5] * 5 + [7] * 12 + [365]
    assert len(kept_days("bills")) == 9
    [entry] = AuditEntry.objects.filter(action="shorten")
    assert (entry.actor, entry.target, entry.reason) == ("user:ann", "queue:orders", "because")
    assert entry.detail == {"days": 7, "deleted": 30, "shortened": 12}
    assert archived_messages.cost("orders", 7, before) == archived_messages.Cost(0, 0)


def test_shortening_goes_page_by_page_and_each_page_is_audited(monkeypatch):
    monkeypatch.setattr(archived_messages, "PAGE", 7)
    add("orders", ago=200, ahead=165, count=10)
    add("orders", ago=1, ahead=300, count=10)
    add("orders", ago=1, ahead=20, count=3)
    archives.keep()
    before = archived_messages.now()
    begun = archived_messages.shorten("orders", 30, before, **WHO, seconds=0)
    assert begun.deleted + begun.shortened == 7
    assert begun.left == 13
    rest = archived_messages.shorten("orders", 30, before, **WHO)
    assert (begun.deleted + rest.deleted, begun.shortened + rest.shortened, rest.left) == (10, 10, 0)
    audited = [entry.detail for entry in AuditEntry.objects.filter(action="shorten")]
    assert [page["deleted"] + page["shortened"] for page in audited] == [7, 7, 6]
    assert sorted(map(round, kept_days("orders"))) == [21] * 3 + [30] * 10


def test_shortening_reads_the_queues_own_messages_only():
    add("orders", ago=100, ahead=265, count=100)
    add("bills", ago=100, ahead=265, count=20_000)
    archives.keep()
    execute("ANALYZE message_archive")
    read = "SELECT sum(seq_tup_read) FROM pg_stat_xact_user_tables WHERE relname ^@ 'message_archive_until'"
    before = rows(read)
    assert archived_messages.cost("orders", 7, archived_messages.now()).messages == 100
    assert archived_messages.shorten("orders", 7, archived_messages.now(), **WHO).deleted == 100
    assert rows(read) == before


ARCHIVERS, BATCHES, BATCH = 4, 40, 5


def archive_many(name):
    """Send and archive on a connection of its own, as a consumer does; the ids."""
    try:
        ids = set()
        for _ in range(BATCHES):
            messages.send_many(name, [NewMessage("{}")] * BATCH)
            ids |= messages.complete(messages.claim(name, BATCH, name, 60))
        return ids
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_nothing_is_lost_and_nobody_fails_while_partitions_come_and_go():
    for number in range(ARCHIVERS):
        Queue.objects.create(name=f"q{number}", retention="archive", archive_days=2_000 + number)
    days, dropped, made = 3_000, 0, 0
    with ThreadPoolExecutor(ARCHIVERS) as pool:
        working = [pool.submit(archive_many, f"q{number}") for number in range(ARCHIVERS)]
        while not all(job.done() for job in working):
            # plain SQL: what is archived from now on has no partition until the next turn makes one
            days += 10
            execute("UPDATE queues SET archive_days = %s", days)
            add("past", ago=9, ahead=1, count=10)
            make_past("past")
            made += archives.prepare(0)
            dropped += archives.drop_outlived()
        ids = set().union(*(job.result() for job in working))
    assert len(ids) == ARCHIVERS * BATCHES * BATCH
    assert Message.objects.count() == 0
    left = ArchivedMessage.objects.exclude(queue="past").values_list("id", flat=True)
    assert sorted(left) == sorted(ids), "each is there, and there once"
    archives.drop_outlived()
    assert not ArchivedMessage.objects.filter(queue="past").exists()
    assert made
    assert dropped


@pytest.mark.django_db(transaction=True)
def test_a_partition_that_somebody_reads_waits_and_holds_up_nobody_long():
    add("week", ago=10, ahead=1, count=3)
    make_past("week")
    Queue.objects.create(name="orders", retention="archive")
    reader = sessions.own_connection()
    with reader, reader.transaction():
        reader.execute("SELECT count(*) FROM message_archive")
        begun = threading.Event()

        def drop():
            begun.set()
            try:
                return archives.drop_outlived()
            finally:
                connection.close()

        with ThreadPoolExecutor(1) as pool:
            dropping = pool.submit(drop)
            begun.wait()
            archive("orders", 20)
            assert dropping.result(timeout=30) == 0
    assert expired() == [], "what was not dropped is not counted as gone"
    assert ArchivedMessage.objects.count() == 23
    assert archives.drop_outlived() == 1
    assert [count for _target, count, _queues in expired()] == [3]


def test_looking_into_the_archive_for_a_number_that_is_none_is_refused():
    with pytest.raises(InvalidFilter, match="a message's number"):
        archived_messages.page("orders", {"id": "first"})
