"""The URLs of a RabbitMQ and a mail server: how each is read, and refused without its password."""

import pytest

from dlqconsole.configuration.addresses import MailServer, RabbitmqAddress


@pytest.mark.parametrize(
    ("url", "port", "vhost", "tls"),
    [
        ("amqp://me:p%40ss@broker", 5672, "/", False),
        ("amqp://me:p%40ss@broker:5673/", 5673, "/", False),
        ("amqp://me:p%40ss@broker/%2F", 5672, "/", False),
        ("amqps://me:p%40ss@broker/prod", 5671, "prod", True),
    ],
)
def test_a_url_names_server_account_and_virtual_host(url, port, vhost, tls):
    assert RabbitmqAddress.from_url(url) == RabbitmqAddress("broker", port, "me", "p@ss", vhost, tls)


@pytest.mark.parametrize(
    "url",
    [
        "hunter2",
        "http://me:hunter2@broker/",
        "amqp://broker/",
        "amqp://me:hunter2@broker:hunter2/",
        "amqp://me:hunter2@broker/a/b",
        "amqp://me:hunter2@broker/?heartbeat=1",
    ],
)
def test_another_is_refused_without_its_password(url):
    with pytest.raises(ValueError, match=r"amqp://user:password@host:5672/vhost") as refused:
        RabbitmqAddress.from_url(url)
    assert "hunter2" not in str(refused.value)
    assert "hunter2" not in repr(RabbitmqAddress("h", 1, "u", "hunter2", "/"))


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://mail", ("smtp", "mail", 25, "", "", "dlqconsole@localhost")),
        ("smtps://me:p%40ss@mail/", ("smtps", "mail", 465, "me", "p@ss", "dlqconsole@localhost")),
        ("smtp+tls://me:p@mail:25?from=d@e.org", ("smtp+tls", "mail", 25, "me", "p", "d@e.org")),
    ],
)
def test_a_url_names_mail_server_account_and_sender(url, server):
    assert MailServer.from_url(url) == MailServer(*server)
    assert MailServer.from_url("smtp+tls://mail").port == 587


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mail.example.org", "It must look like"),
        ("smtps://me:hunter2@", "It must look like"),
        ("smtps://me:hunter2@mail/inbox", "It must look like"),
        ("smtps://me:hunter2@mail:hunter2", "its port is not a number"),
        ("smtps://me:hunter2@mail?from=hunter2", "Its only option is the sender"),
        ("smtps://me:hunter2@mail?from=a@b.org%0d%0aBcc:c@d.org", "Its only option is the sender"),
        ("smtps://me:hunter2@mail?timeout=hunter2", "Its only option is the sender"),
        ("smtp://me:hunter2@mail", "A password needs an encrypted line"),
    ],
)
def test_another_mail_server_is_refused_without_its_password(url, words):
    with pytest.raises(ValueError, match=words) as refused:
        MailServer.from_url(url)
    assert "hunter2" not in str(refused.value)
