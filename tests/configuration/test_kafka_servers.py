"""Brokers that cannot be are refused at the start; their setting is named."""

import pytest

from dlqconsole.configuration.reading import read_settings
from dlqconsole.configuration.setting import Reader


@pytest.mark.parametrize(
    "servers", ["localhost", "127.0.0.1:9092", "a_b.example.org:1, [::1]:9092", "SASL_SSL://broker:9093"]
)
def test_brokers_are_taken(environment, servers):
    environment["DLQ_KAFKA_SERVERS"] = servers
    assert read_settings(Reader.DJANGO).text("DLQ_KAFKA_SERVERS") == servers


@pytest.mark.parametrize("junk", ["abc def", "a:b", "a:1:2", "a/b", ":9092", "é:1", "a:123456"])
def test_what_is_none_is_named(refusal, junk):
    sentence = refusal("DLQ_KAFKA_SERVERS", f"broker:9092,{junk}")
    assert sentence.startswith(f"DLQ_KAFKA_SERVERS cannot be used. {junk!r} is no broker")
