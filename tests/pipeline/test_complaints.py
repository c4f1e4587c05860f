"""The complaints of the bridge to Java, once Java is gone, stay in Spark's log; others' are left alone."""

import logging
import socket
import sys
import threading

import pytest
from py4j.clientserver import JavaClient, JavaParameters, PythonParameters
from py4j.java_gateway import GatewayProperty
from py4j.protocol import ERROR

from dlqconsole.pipeline.running.java import Complaints


@pytest.fixture
def log(tmp_path):
    """A log that takes the complaints; the loggers are afterwards as they were."""
    bridge, root = logging.getLogger("py4j"), logging.getLogger()
    before = bridge.level, bridge.propagate, bridge.handlers, root.filters
    Complaints(tmp_path / "former.log").of_bridge()
    Complaints(tmp_path / "spark.log").of_bridge()
    yield tmp_path / "spark.log"
    bridge.level, bridge.propagate, bridge.handlers, root.filters = before
    assert not (tmp_path / "former.log").exists()


@pytest.fixture
def ending_java():
    """Take connections, and end each at once, as a Java does that is being stopped."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def end_each() -> None:
            while True:
                try:
                    server.accept()[0].close()
                except OSError:
                    return

        threading.Thread(target=end_each, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def test_a_call_that_java_ends_under_says_nothing_to_the_person(log, ending_java, caplog, capfd):
    given = JavaParameters(port=ending_java), PythonParameters()
    client = JavaClient(*given, gateway_property=GatewayProperty(True, None))
    assert client.send_command("c\no1\nstop\ne\n") == ERROR
    assert log.read_text().startswith(
        "java_gateway: Exception while sending command.: py4j.protocol.Py4JNetworkError"
    )
    assert (caplog.records, capfd.readouterr()) == ([], ("", ""))


def test_what_it_says_by_loggers_of_its_own_does_not_either(log, capfd):
    logging.getLogger("py4j.java_gateway").error("nobody answers")
    logging.getLogger("py4j.clientserver").info("closing a connection")
    assert log.read_text() == "test_complaints: nobody answers\n"
    assert not logging.getLogger("py4j").propagate
    assert capfd.readouterr() == ("", "")


def test_what_others_say_to_the_root_logger_is_theirs(log, caplog):
    logging.getLogger().error("a handler's own words")
    assert caplog.messages == ["a handler's own words"]
    assert not log.exists()


def test_a_log_that_cannot_be_written_is_no_error_of_its_own(tmp_path, capfd):
    complaints = Complaints(tmp_path / "gone" / "spark.log")
    complaints.handle(logging.makeLogRecord({"msg": "nobody answers", "levelno": logging.ERROR}))
    assert capfd.readouterr() == ("", "")
    assert sys.exc_info()[1] is None
