"""The URL of a RabbitMQ server: what is read of it, and what is refused without its password."""

import pytest

from dlqconsole.configuration.addresses import RabbitmqAddress


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
