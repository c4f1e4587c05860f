"""A dead letter links to its trace and to the line of code that failed, by templates in settings."""

import pytest
from django.test import override_settings

from dlqconsole.configuration import checks
from dlqconsole.console.dead_letters.links import source_link

PYTHON = """Traceback (most recent call last):
  File "/app/shop/run.py", line 4, in run
  File "/app/shop/orders.py", line 88, in check
  File "/usr/lib/python3.13/json/decoder.py", line 345, in decode
ValueError: no"""
JAVA = """java.lang.IllegalStateException: no
\tat java.base/java.lang.Thread.run(Thread.java:1583)
\tat com.acme.orders.Checker.check(Checker.java:88)"""
NODE = """Error: no
    at check (/app/src/orders.js:88:5)"""


@pytest.mark.parametrize(
    ("root", "trace", "place"),
    [
        ("/app/", PYTHON, "shop/orders.py#L88"),
        ("com/acme/", JAVA, "orders/Checker.java#L88"),
        ("/app/", NODE, "src/orders.js#L88"),
    ],
)
def test_the_innermost_line_of_ones_own_code_is_linked(root, trace, place):
    with override_settings(DLQ_SOURCE_URL=f"{root}=https://git.example.org/{{path}}#L{{line}}"):
        assert source_link(trace) == f"https://git.example.org/{place}"
        assert source_link("no trace") == ""


@pytest.mark.django_db
def test_the_page_has_both_links(viewer, letter, settings):
    settings.DLQ_TRACE_URL = "https://jaeger.example.org/trace/{trace_id}"
    settings.DLQ_SOURCE_URL = "/app/=https://git.example.org/{path}#L{line}"
    headers = '{"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}'
    page = viewer.get(f"/dead-letters/{letter(headers=headers, error_stacktrace=PYTHON)}/").content.decode()
    assert 'href="https://jaeger.example.org/trace/4bf92f3577b34da6a3ce929d0e0e4736"' in page
    assert 'href="https://git.example.org/shop/orders.py#L88"' in page


@pytest.mark.parametrize("text", ["javascript:{trace_id}", "https://jaeger.example.org/trace/"])
def test_a_template_that_links_to_nothing_stops_the_start(text):
    with pytest.raises(ValueError, match="It must be like"):
        checks.trace_template(text)
    with pytest.raises(ValueError, match="It must be like"):
        checks.source_template(f"/app/={text}")
