"""The log of requests holds no searched text, and a path forges no line of it."""

from datetime import timedelta
from types import SimpleNamespace

from gunicorn.config import Config

from dlqconsole.console.monitoring.access_log import AccessLog
from tools.demo_services import _web_options

ENVIRON = {
    "REQUEST_METHOD": "GET",
    "RAW_URI": "/dead-letters/%0aFAKE?q=536-22-8701",
    "PATH_INFO": "/dead-letters/\nFAKE",
    "QUERY_STRING": "q=536-22-8701",
    "SERVER_PROTOCOL": "HTTP/1.1",
    "HTTP_REFERER": "https://dlq/dead-letters/?q=536-22-8701",
}


def test_a_line_has_the_path_and_not_what_was_searched_for():
    answer = SimpleNamespace(status="200 OK", sent=12, headers=[])
    log = AccessLog(Config())
    atoms = log.atoms(answer, SimpleNamespace(headers=[]), ENVIRON, timedelta(milliseconds=3))
    everything = Config().access_log_format + " %(U)s %(q)s %({raw_uri}e)s"
    line = everything % log.atoms_wrapper_class(atoms)
    assert "GET /dead-letters/%0aFAKE HTTP/1.1" in line
    assert "536-22-8701" not in line
    assert "\n" not in line


def test_the_demo_and_the_image_use_it():
    named = "dlqconsole.console.monitoring.access_log.AccessLog"
    assert named in _web_options(8000)
    with open("Dockerfile", encoding="utf-8") as image:
        assert named in image.read()
