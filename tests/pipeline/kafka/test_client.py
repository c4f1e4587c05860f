"""Without the client library, and with a file of properties."""

import sys

import pytest

from dlqconsole.configuration.addresses import read_properties
from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.kafka.client import Cluster


def test_without_the_library_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    with pytest.raises(BadRequest, match=r"pip install 'dlqconsole\[kafka\]'"):
        Cluster({"bootstrap.servers": "b:9092"})


def test_properties_are_read_as_kafka_s_own_tools_do(tmp_path):
    file = tmp_path / "client.properties"
    file.write_text("# ours\n\nsecurity.protocol = SASL_SSL\n! theirs\nsasl.password=a=b\n")
    assert read_properties(str(file)) == {"security.protocol": "SASL_SSL", "sasl.password": "a=b"}
    assert read_properties("") == {}
