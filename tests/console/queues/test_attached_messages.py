"""The messages of attached queues, on the page of our own: looked at, made due, deleted, purged; paused."""

from functools import partial

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.engine.models import AuditEntry, DeadLetter, Message
from dlqconsole.operations.models import Operation
from dlqconsole.operations.work import run
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.models import AttachedQueue, ForwardedMessage
from dlqconsole.transports.registry import transport_of
from tests.console.queues.purges import purge_form, purged
from tests.console.queues.test_queues import words
from tests.engine.queues.test_queues_command import works  # noqa: F401 - fixture
from tests.plain_sql import value
from tests.security.scoped_world import limited
from tests.transports.conftest import attached, pgmq, pgmq_queue  # noqa: F401 - fixtures
from tests.transports.mysql.mariadb import mariadb, mysql_transport  # noqa: F401 - fixtures
from tests.transports.mysql.table.test_source import COLUMNS, THEIRS
from tests.transports.pgmq.other_database import other_database, queue_elsewhere  # noqa: F401 - fixtures
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - fixture

pytestmark = pytest.mark.django_db(transaction=True)


class There:
    """A queue, ours or attached, as producers and consumers over there use it."""

    def __init__(self, name):
        self.name = name
        self.source, self.remote = transport_of(name)

    def send(self, payload='{"order_id": 1}', **more):
        return int(self.source.send(self.remote, payload, **more))

    def claim(self, limit=1):
        return self.source.claim(self.remote, limit, "theirs", 60)

    def is_there(self, number):
        return bool(self.source.still_there(self.remote, [str(number)]))

    def url(self, page, *number):
        return reverse(f"dlq:{page}", args=[self.name, *number])


@pytest.fixture
def in_pgmq(attached):  # noqa: F811 - the fixture
    return There(attached.name)


@pytest.fixture
def in_pgmq_elsewhere(transactional_db, queue_elsewhere):  # noqa: F811 - the fixture
    attachments.attach(f"pgmq-service:{queue_elsewhere}", actor="test")
    return There(f"pgmq-service:{queue_elsewhere}")


@pytest.fixture
def in_table(mysql_transport, mariadb):  # noqa: F811 - the fixtures
    mariadb.ask(THEIRS)
    mariadb.ask("DELETE FROM outbox")
    attachments.attach("mysql-table:outbox", actor="test", columns=COLUMNS)
    return There("mysql-table:outbox")


@pytest.fixture
def in_mysql(mysql_transport):  # noqa: F811 - the fixture
    attachments.attach("mysql:bills", actor="test")
    return There("mysql:bills")


@pytest.fixture
def own(transactional_db):
    return There("orders")


@pytest.fixture(params=["in_pgmq", "in_pgmq_elsewhere", "in_mysql", "in_table"])
def there(request):
    """An attached queue."""
    return request.getfixturevalue(request.param)


@pytest.fixture(params=["own", "in_pgmq", "in_pgmq_elsewhere", "in_mysql", "in_table"])
def anywhere(request):
    """A queue of each system, our own among them."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def revived(there, letter):
    """A revived dead letter whose message stands on the attached queue: its number, the message's."""
    number = letter("order.created", '{"order_id": 7}', queue=there.name)
    assert value("SELECT dead_letter_revive(%s)", number)
    assert relay.run_once()["forwarded"] == 1
    return number, int(ForwardedMessage.objects.get().remote_id)


def shown(page):
    return [row["id"] for row in page.context["rows"]]


def state(number):
    return DeadLetter.objects.get(pk=number).status


def test_a_queue_s_messages_are_listed_by_state(anywhere, viewer):
    waiting = anywhere.send()
    held = anywhere.claim()[0].id
    later = anywhere.send(delay_seconds=3600)
    next_one = anywhere.send()
    assert held == str(waiting)
    lists = partial(viewer.get, anywhere.url("queue_messages"))
    live = shown(lists())
    assert next_one in live
    assert later not in live
    assert shown(lists({"list": "scheduled"})) == [later]
    has_own_list = anywhere.source.prefix.startswith("mysql")
    in_flight = lists({"list": "leased"} if has_own_list else {})
    assert waiting in shown(in_flight)
    assert "In flight" in words(in_flight)


@pytest.mark.parametrize("listed", ["live", "scheduled"])
def test_a_list_goes_on_where_its_page_ended(anywhere, viewer, listed):
    sent = [anywhere.send(delay_seconds=60 if listed == "scheduled" else 0) for _ in range(101)]
    seen, after = [], "?list=" + listed
    while after:
        page = viewer.get(anywhere.url("queue_messages") + after)
        seen += shown(page)
        after = page.context["next_url"]
    assert seen == sent


@pytest.mark.parametrize("after", ["x", "1~x", "1~0001-01-01", "99999999999999999999~", "~"])
def test_a_wrong_place_begins_at_the_beginning(there, viewer, after):
    number = there.send()
    assert number in shown(viewer.get(there.url("queue_messages"), {"after": after}))
    assert viewer.get(there.url("queue_messages"), {"after": after, "list": "scheduled"}).status_code == 200
    assert viewer.get(there.url("queue_messages"), {"list": "nowhere"}).status_code == 404


def test_a_message_is_masked_until_a_person_reveals_it(anywhere, viewer, operator):
    number = anywhere.send('{"mail": "ann@example.com", "total": 1.10}')
    address, raw = anywhere.url("queue_message", number), anywhere.url("queue_message_raw", number)
    for person in (viewer, operator):
        page = person.get(address).content.decode()
        assert "1.10" in page
        assert "ann@example.com" not in page
        assert b"ann@example.com" not in person.get(raw).content
        assert "ann@example.com" not in person.get(anywhere.url("queue_messages")).content.decode()
    form = {"reason": "ticket 7"}
    assert viewer.post(anywhere.url("queue_message_reveal", number), form).status_code == 403
    operator.post(anywhere.url("queue_message_reveal", number), form)
    assert "ann@example.com" in operator.get(address).content.decode()
    assert b"ann@example.com" in operator.get(raw).content
    assert "ann@example.com" not in viewer.get(address).content.decode()


def test_who_reveals_a_message_over_there_reveals_none_of_ours(there, operator):
    number = there.send('{"mail": "ann@example.com"}')
    Message.objects.create(pk=number, queue="orders", payload={"mail": "bob@example.com"})
    operator.post(there.url("queue_message_reveal", number), {"reason": "ticket 7"})
    page = operator.get(reverse("dlq:queue_message", args=["orders", number])).content.decode()
    assert "bob@example.com" not in page


def test_what_is_still_ours_is_a_message_of_its_own(there, viewer):
    message = Message.objects.create(queue=there.name, payload={"still": "here"})
    listing = viewer.get(there.url("queue_messages"), {"list": "here-live"})
    [row] = listing.context["rows"]
    assert "still" in viewer.get(row["url"]).content.decode()
    assert viewer.get(there.url("queue_message", message.pk)).status_code == 404


def test_a_scheduled_message_is_made_due(anywhere, operator):
    number = anywhere.send(delay_seconds=3600)
    assert anywhere.claim() == []
    act = anywhere.url("queue_message_due", number)
    assert "becomes claimable at once" in words(operator.get(act))
    assert "Give the reason" in words(operator.post(act, {"reason": ""})) or anywhere.claim() == []
    answer = operator.post(act, {"reason": "the customer waits"}, follow=True)
    assert f"Message {number} is due now." in words(answer)
    assert [message.id for message in anywhere.claim()] == [str(number)]
    entry = AuditEntry.objects.get(action="make due")
    assert (entry.target, entry.reason) == (f"queue:{anywhere.name}", "the customer waits")
    assert entry.detail == {"message": number}
    assert f"made message {number} due at once" in words(operator.get(anywhere.url("queue")))


def test_a_message_that_is_due_is_left_as_it_is(anywhere, operator):
    number = anywhere.send()
    answer = operator.post(anywhere.url("queue_message_due", number), {"reason": "x"})
    assert f"message {number} of {anywhere.name} is due already" in words(answer)
    assert not AuditEntry.objects.filter(action="make due").exists()


def test_one_message_is_deleted(anywhere, operator):
    number, other = anywhere.send(), anywhere.send()
    act = anywhere.url("queue_message_delete", number)
    assert "cannot be undone" in words(operator.get(act))
    answer = operator.post(act, {"reason": "a test order"}, follow=True)
    assert f"Message {number} is deleted." in words(answer)
    assert (anywhere.is_there(number), anywhere.is_there(other)) == (False, True)
    entry = AuditEntry.objects.get(action="delete message")
    assert (entry.reason, entry.detail) == ("a test order", {"message": number})
    assert operator.get(act).status_code == 404


@pytest.mark.parametrize("anywhere", ["own", "in_mysql", "in_table"], indirect=True)
def test_what_a_consumer_holds_is_left_to_it(anywhere, operator):
    number = anywhere.send()
    [message] = anywhere.claim()
    for act in ("queue_message_due", "queue_message_delete"):
        answer = operator.post(anywhere.url(act, number), {"reason": "x"})
        assert f"message {number} of {anywhere.name} is in a consumer" in words(answer)
    assert anywhere.source.complete([message]) == {str(number)}
    assert not AuditEntry.objects.filter(target=f"queue:{anywhere.name}").exclude(action="attach").exists()


def test_pgmq_cannot_tell_who_holds_a_message_and_the_page_says_so(in_pgmq, operator):
    number = in_pgmq.send()
    in_pgmq.claim()
    page = operator.get(in_pgmq.url("queue_message_due", number))
    assert "a consumer may hold it now, or has put it off" in words(page)
    operator.post(in_pgmq.url("queue_message_due", number), {"reason": "x"})
    assert len(in_pgmq.claim()) == 1
    operator.post(in_pgmq.url("queue_message_delete", number), {"reason": "x"})
    assert not in_pgmq.is_there(number)


def test_a_revived_message_that_is_deleted_did_not_succeed(there, revived, operator):
    letter_id, number = revived
    page = operator.get(there.url("queue_message", number))
    assert f"dead letter {letter_id}" in page.content.decode()
    operator.post(there.url("queue_message_delete", number), {"reason": "it would fail again"})
    relay.run_once()
    assert state(letter_id) == "PENDING"
    assert not ForwardedMessage.objects.exists()


def test_a_purge_removes_what_nobody_holds(there, operator):
    held = there.send()
    there.claim()
    sent = [there.send() for _ in range(3)] + [there.send(delay_seconds=60)]
    page = operator.get(there.url("queue_purge"))
    assert page.context["preview"]["count"] == 4
    assert "Consumers of other programs go on meanwhile" in words(page)
    receipt = purged(operator, there.name)
    operation = receipt.context["operation"]
    assert (operation.status, operation.done, operation.skipped) == ("completed", 4, 0)
    assert [there.is_there(number) for number in (held, *sent)] == [True, False, False, False, False]
    page_entry = AuditEntry.objects.filter(operation_id=operation.pk, action="purge_queue").get()
    assert page_entry.detail["done"] == 4


def test_a_purge_of_another_number_is_refused(there, operator):
    there.send()
    page = operator.get(there.url("queue_purge"))
    answer = operator.post("/operations/", purge_form(page) | {"reason": "x", "typed_count": "3"})
    assert answer.status_code != 302
    assert not Operation.objects.exists()


def test_what_a_consumer_takes_first_is_skipped(there, operator):
    first, second = there.send(), there.send()
    page = operator.get(there.url("queue_purge"))
    operator.post("/operations/", purge_form(page) | {"reason": "x", "typed_count": "2"})
    [message] = there.claim()
    there.source.complete([message])
    run.take_up()
    operation = Operation.objects.get()
    assert (operation.done, operation.status) == (1, "completed")
    assert not there.is_there(first)
    assert not there.is_there(second)


def test_purged_revivals_go_back_to_where_they_were(there, revived, operator):
    letter_id, number = revived
    there.send()
    assert purged(operator, there.name).context["operation"].done == 2
    relay.run_once()
    assert state(letter_id) == "PENDING"
    assert not there.is_there(number)


def test_a_purge_waits_while_the_other_system_is_away(in_mysql, operator, settings):
    number = in_mysql.send()
    page = operator.get(in_mysql.url("queue_purge"))
    operator.post("/operations/", purge_form(page) | {"reason": "x", "typed_count": "1"})
    address, settings.DLQ_MYSQL_URL = settings.DLQ_MYSQL_URL, "mysql://nobody@127.0.0.1:1/none"
    run.take_up()
    assert Operation.objects.get().status in ("freezing", "running")
    answer = operator.get(in_mysql.url("queue_purge"), follow=True)
    assert "does not answer" in words(answer)
    settings.DLQ_MYSQL_URL = address
    Operation.objects.update(lease_until="2001-01-01T00:00:00Z")
    run.take_up()
    assert Operation.objects.get().done == 1
    assert not in_mysql.is_there(number)


def test_while_the_other_system_is_away_each_page_says_so(in_mysql, operator, settings):
    number = in_mysql.send()
    settings.DLQ_MYSQL_URL = "mysql://nobody@127.0.0.1:1/none"
    listing = operator.get(in_mysql.url("queue_messages"))
    assert listing.status_code == 200
    assert "does not answer" in words(listing)
    for name in ("queue_message", "queue_message_raw", "queue_message_due", "queue_message_delete"):
        answer = operator.get(in_mysql.url(name, number), follow=True)
        assert answer.status_code == 200
        assert "does not answer" in words(answer)


def test_a_paused_queue_is_sent_nothing_and_our_consumers_take_nothing(there, operator):
    there.send('{"type": "order.created", "order_id": 1}')
    answer = operator.post(there.url("queue_pause"), {"reason": "billing asks"}, follow=True)
    assert "Consumers of other programs go on." in words(answer)
    assert "Consumers of other programs are not stopped." in words(answer)
    Message.objects.create(queue=there.name, payload={})
    assert relay.run_once()["forwarded"] == 0
    Consumer([there.name]).run(until_empty=True)
    assert len(there.claim(10)) == 1
    assert "It was paused already." in words(
        operator.post(there.url("queue_pause"), {"reason": "x"}, follow=True)
    )
    operator.post(there.url("queue_resume"), {"reason": "go on"})
    assert relay.run_once()["forwarded"] == 1
    entries = AuditEntry.objects.filter(target=f"queue:{there.name}").order_by("id")
    assert [entry.action for entry in entries] == ["attach", "pause", "resume"]


def test_the_command_does_the_same(anywhere, capsys):
    later, number = anywhere.send(delay_seconds=3600), anywhere.send()
    call_command("queues", "make-due", anywhere.name, str(later), "--because", "x")
    assert capsys.readouterr().out == f"Message {later} of {anywhere.name} is due now.\n"
    call_command("queues", "delete", anywhere.name, str(number), "--because", "x")
    assert not anywhere.is_there(number)
    with pytest.raises(CommandError, match=r"had left the queue by then\.$"):
        call_command("queues", "delete", anywhere.name, str(number), "--because", "x")
    assert [message.id for message in anywhere.claim(5)] == [str(later)]


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_a_viewer_looks_and_an_operator_acts(there, request, role):
    person, number = request.getfixturevalue(role), there.send()
    assert person.get(there.url("queue_message", number)).status_code == 200
    refused = {
        action["label"]
        for action in person.get(there.url("queue_message", number)).context["actions"]
        if action["why"]
    }
    assert refused == ({"Make due now", "Delete"} if role == "viewer" else {"Make due now"})
    for act in ("queue_message_due", "queue_message_delete"):
        answer = person.get(there.url(act, number))
        assert answer.status_code == (403 if role == "viewer" else 200)
    if role == "viewer":
        assert person.post(there.url("queue_message_delete", number), {"reason": "x"}).status_code == 403
        assert there.is_there(number)


def test_messages_of_a_topic_are_not_listed(viewer, operator):
    AttachedQueue.objects.create(name="kafka:orders", transport="kafka", remote_name="orders")
    Message.objects.create(queue="kafka:orders", payload={})
    page = viewer.get("/queues/kafka:orders/messages/")
    assert "Messages over there are not listed." in words(page)
    assert len(page.context["rows"]) == 1
    assert viewer.get("/queues/kafka:orders/messages/1/").status_code == 404
    answer = operator.get("/queues/kafka:orders/purge/", follow=True)
    assert "cannot be removed one by one" in words(answer)


def test_a_message_is_shown_under_its_own_queue_only(there, operator):
    number = there.send()
    remote = "there.elsewhere" if "." in there.remote else "elsewhere"
    other = f"{there.source.prefix}:{remote}"
    AttachedQueue.objects.create(name=other, transport=there.source.prefix, remote_name=remote)
    for page in ("queue_message", "queue_message_raw", "queue_message_due", "queue_message_delete"):
        answer = operator.get(reverse(f"dlq:{page}", args=[other, number]), follow=True)
        assert answer.status_code == 404 or "has no queue" in words(answer)
    assert there.is_there(number)


def test_the_command_purges_over_there_too(there, capsys, works):  # noqa: F811 - the fixture
    there.send()
    call_command("queues", "purge", there.name, "--expect", "1", "--yes", "--because", "x")
    assert capsys.readouterr().out.startswith("1 messages purged")


@pytest.mark.parametrize("scope", [("orders", "*"), ("*", "order.created")])
def test_who_is_limited_to_something_else_finds_nothing(there, scope):
    number, person = there.send(), limited("operator", [scope])
    for page in ("queue_messages", "queue_pause", "queue_purge"):
        assert person.get(there.url(page)).status_code == 404
    for page in ("queue_message", "queue_message_raw", "queue_message_due", "queue_message_delete"):
        assert person.get(there.url(page, number)).status_code == 404
    assert person.post(there.url("queue_message_delete", number), {"reason": "x"}).status_code == 404
    assert there.is_there(number)


def test_who_is_limited_to_the_queue_acts_on_it(there):
    number, person = there.send(), limited("operator", [(there.name, "*")])
    assert person.get(there.url("queue_message", number)).status_code == 200
    person.post(there.url("queue_message_reveal", number), {"reason": "x"})
    assert purged(person, there.name).context["operation"].done == 1
    assert "personal data shown" in words(person.get("/audit/"))
