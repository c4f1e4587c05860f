"""The line breaks after MySQL committed and before it said so: what is repeated then happens once."""

import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import DeadLetter
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.mysql.source import MysqlSource

FAILED = Failed("Refused: billing said no", "TRANSIENT", "Refused", "")
UNCERTAIN = "may or may not have been carried out"


class Line:
    """A line to the server that swallows the answer to one COMMIT and breaks."""

    def __init__(self, port):
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.committing = False
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.target))
            threading.Thread(target=self.carry, args=(client, server), daemon=True).start()
            threading.Thread(target=self.answer, args=(server, client), daemon=True).start()

    def carry(self, client, server):
        while data := receive(client):
            self.committing = data.endswith(b"\x03COMMIT")
            server.sendall(data)
        server.close()

    def answer(self, server, client):
        while data := receive(server):
            if self.committing:
                break
            client.sendall(data)
        for end in (client, server):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def receive(end):
    try:
        return end.recv(65536)
    except OSError:
        return b""


@pytest.fixture
def breaking(mariadb, mysql_transport):
    """A transport whose line breaks at each commit."""
    line = Line(mariadb.port)
    address = urlsplit(mariadb.url())
    port = line.listener.getsockname()[1]
    transport = MysqlSource(mariadb.url().replace(f":{address.port}/", f":{port}/"))
    yield transport
    transport.close()
    line.listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
    line.listener.close()


def test_a_send_under_a_key_may_be_repeated(breaking, mariadb, mysql_transport):
    with pytest.raises(TransportUnavailable, match=UNCERTAIN):
        breaking.send("orders", "{}", dedupe_key="once")
    [(sent,)] = mariadb.ask("SELECT id FROM dlq_message_queue")
    assert mysql_transport.send("orders", "{}", dedupe_key="once") == str(sent)
    assert mariadb.ask("SELECT COUNT(*) FROM dlq_message_queue") == [(1,)]


def test_a_claim_that_nobody_heard_of_comes_back_after_its_lease(breaking, mariadb, mysql_transport):
    sent = mariadb.put()
    with pytest.raises(TransportUnavailable, match=UNCERTAIN):
        breaking.claim("orders", 1, "me", 60)
    assert mysql_transport.claim("orders", 1, "other", 60) == []
    mariadb.let_time_pass()
    [claimed] = mysql_transport.claim("orders", 1, "other", 60)
    assert (claimed.id, claimed.attempts) == (sent, 2)


@pytest.mark.django_db(transaction=True)
def test_a_dead_letter_may_be_repeated(breaking, mariadb, mysql_transport):
    mariadb.put()
    [claimed] = mysql_transport.claim("orders", 1, "me", 60)
    burial = claimed, Identity("orders", "mysql:orders", claimed.id), FAILED, DeadLetterStatus.PENDING
    with pytest.raises(TransportUnavailable, match=UNCERTAIN):
        breaking.dead_letter(*burial)
    with pytest.raises(LeaseLost):
        mysql_transport.dead_letter(*burial)
    assert DeadLetter.objects.get().occurrences == 1
    assert mysql_transport.metrics("orders").in_flight == 0
