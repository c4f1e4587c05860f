"""What a MySQL queue takes, what it refuses, and what a foreign producer may have put there."""

import pytest

from dlqconsole.core.errors import InvalidMessage, UnknownQueue


@pytest.mark.parametrize(
    ("payload", "options", "why"),
    [
        ("not json", {}, "The payload cannot be sent"),
        (b"\xff", {}, "The payload cannot be sent"),
        ('{"a": "\\u0000"}', {}, "The payload cannot be sent"),
        ("[" + "1," * 600_000 + "1]", {}, "more than 1,048,576"),
        ("{}", {"delay_seconds": -1}, "delay"),
        ("{}", {"delay_seconds": float("nan")}, "delay"),
        ("{}", {"delay_seconds": float("inf")}, "delay"),
        ("{}", {"headers": {"a": "\x00"}}, "headers"),
        ("{}", {"dedupe_key": "k" * 256}, "1 to 255 characters"),
        ("{}", {"dedupe_key": ""}, "1 to 255 characters"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_a_sentence_and_leaves_nothing(
    payload, options, why, mariadb, mysql_transport
):
    with pytest.raises(InvalidMessage, match=why):
        mysql_transport.send("orders", payload, **options)
    assert mariadb.ask("SELECT COUNT(*) FROM dlq_message_queue") == [(0,)]


@pytest.mark.parametrize("name", ["", "q" * 65, "orders ", " orders", "a\nb", "a\x00b"])
def test_names_that_mysql_would_cut_or_confuse_are_refused(name, mysql_transport):
    with pytest.raises(InvalidMessage, match="1 to 64 printable characters"):
        mysql_transport.send(name, "{}")
    for use in (mysql_transport.metrics, lambda queue: mysql_transport.claim(queue, 1, "me", 60)):
        with pytest.raises(UnknownQueue, match="1 to 64 printable characters"):
            use(name)


def test_names_differ_in_case_and_may_be_in_any_language(mysql_transport):
    for name in ("orders", "Orders", "订单" * 32, "100% 'quoted' \\"):
        sent = mysql_transport.send(name, "{}")
        assert [delivery.id for delivery in mysql_transport.claim(name, 5, "me", 60)] == [sent]


@pytest.mark.parametrize(
    "payload",
    ['{ "a":1.10,\t"b" : 1e2 }', '"ü😀"', "12345678901234567890123", "null", '{"a\\"b": "%s %(x)s"}'],
)
def test_json_text_arrives_as_it_was_written(payload, mysql_transport):
    mysql_transport.send("orders", payload, {"ce_type": "order.created", "π": "é"})
    [delivery] = mysql_transport.claim("orders", 1, "me", 60)
    exact = delivery.payload if delivery.payload_raw is None else delivery.payload_raw.decode()
    assert exact == payload
    assert delivery.headers == {"ce_type": "order.created", "π": "é"}


@pytest.mark.parametrize("raw", [b"\xff\xfe{", b"", b"{'a': 1}", b'{"a": "\x00"}', b'{"a": 1, "a": 2}'])
def test_what_cannot_be_decoded_is_delivered_with_its_exact_bytes(raw, mariadb, mysql_transport):
    poison, fine = mariadb.put(raw), mariadb.put()
    deliveries = mysql_transport.claim("orders", 10, "me", 60)
    assert [delivery.id for delivery in deliveries] == [poison, fine]
    assert deliveries[0].payload_raw == raw


@pytest.mark.parametrize(
    ("headers", "seen"),
    [
        (None, {}),
        ("[1]", {"x-unreadable-headers": "[1]"}),
        ('{"n": 1e999}', {"x-unreadable-headers": '{"n": 1e999}'}),
        ('{"n": 123456789012345678901, "x": null}', {"n": 123456789012345678901, "x": None}),
    ],
)
def test_headers_of_a_foreign_producer_never_stop_a_claim(headers, seen, mariadb, mysql_transport):
    mariadb.put(headers=headers)
    [delivery] = mysql_transport.claim("orders", 1, "me", 60)
    assert delivery.headers == seen
