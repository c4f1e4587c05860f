"""Which failures are one group."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dlqconsole.engine.models import DeadLetter, FailureGroup
from tests.plain_sql import row, value
from tests.sizes import sized


def normalised(reason):
    return row("SELECT dead_letter_message(%s), dead_letter_error_class(%s)", reason, reason)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("reason", "message", "error_class"),
    [
        (
            "PlaneUnknown: tailnum N725MQ is not in the planes table",
            "PlaneUnknown: tailnum <value> is not in the planes table",
            "PlaneUnknown",
        ),
        (
            "AirportUnknown: dest SJU is not in the airports table",
            "AirportUnknown: dest <code> is not in the airports table",
            "AirportUnknown",
        ),
        (
            "WeatherMissing: no observation at JFK for 2013-01-01T05:00:00Z",
            "WeatherMissing: no observation at <code> for <value>",
            "WeatherMissing",
        ),
        ("connection refused: billing", "connection refused: billing", ""),
        (
            "psycopg.errors.UniqueViolation: key 'a' exists",
            "psycopg.errors.UniqueViolation: key <value> exists",
            "psycopg.errors.UniqueViolation",
        ),
        ("ValueError", "ValueError", "ValueError"),
        ("", "", ""),
        (
            "Timeout: 3fa85f64-5717-4562-b3fc-2c963f66afa6 after 30.5s",
            "Timeout: <value> after <value>",
            "Timeout",
        ),
        ("Error: first line\nsecond line 7", "Error: first line", "Error"),
    ],
)
def test_the_variable_parts_of_a_reason_are_taken_out(reason, message, error_class):
    assert normalised(reason) == (message, error_class)


@pytest.mark.django_db
def test_one_cause_is_one_group_however_many_values_it_has():
    DeadLetter.objects.bulk_create(
        DeadLetter(
            event_type="flight.departed",
            source="flights",
            source_key=str(number),
            error_category="BUSINESS",
            error_reason=f"PlaneUnknown: tailnum N{number}MQ is not in the planes table",
        )
        for number in range(50)
    )
    group = FailureGroup.objects.get()
    assert group.message == "PlaneUnknown: tailnum <value> is not in the planes table"
    assert DeadLetter.objects.filter(group_id=group.pk).count() == 50


@pytest.mark.django_db
def test_a_new_reason_moves_a_dead_letter_to_its_group():
    letter = DeadLetter.objects.create(event_type="x", source="s", source_key="1", error_reason="Down: one")
    DeadLetter.objects.filter(pk=letter.pk).update(error_reason="Bad: two")
    letter.refresh_from_db()
    assert FailureGroup.objects.get(pk=letter.group_id).error_class == "Bad"


# Each line is one cause, told in several ways.
TOGETHER = [
    ["Timeout: 3fa85f64-5717-4562-b3fc-2c963f66afa6 after 30.5s",
     "Timeout: 00000000-0000-4000-8000-0000000000ff after 7ms"],
    ["Down: no answer from 10.0.0.7:8080",
     "Down: no answer from 192.168.1.255:443", "Down: no answer from 2001:db8::1",
     "Down: no answer from [2001:db8::1]:80"],
    ["Bad: see https://example.com/orders/a?x=1#b", "Bad: see http://localhost/", "Bad: see ftp://h/x"],
    ["NoMail: ann@example.com is unknown", "NoMail: bob.b+x@mail.example.org is unknown"],
    ["Late: due 2026-11-21", "Late: due 2026-11-21T03:00:00Z",
     "Late: due 2026-11-21 03:00:00.123", "Late: due 11/21/2026"],
    ["Late: since Sat Nov 21 11:50:35 2026", "Late: since Mon Jan 5 01:02:03 2026"],
    ["Gone: /var/lib/orders/file", "Gone: /tmp/x/y/", "Gone: C:\\data\\orders", "Gone: /srv/7/report.csv"],
    ["Dup: key 'abc' exists", "Dup: key \"a b c\" exists", "Dup: key `x` exists", "Dup: key “é” exists"],
    ["Sum: -5 is less than 0", "Sum: -12.75 is less than 1e9"],
    ["Hash: got deadbeefcafe", "Hash: got da39a3ee5e6b4b0d3255bfef95601890afd80709", "Hash: got 0xdeadbeef"],
    ["Few: ids 1, 2, 3 are missing", "Few: ids 9 are missing", "Few: ids 7,8 are missing"],
    ["Lost: ['a', 'b'] left", "Lost: ['c'] left"],
    ["Rate: 5 USD for 7 EUR", "Rate: 70 GBP for 1 CHF"],
    ["Tail: N725MQ is unknown", "Tail: N0EGMQ is unknown"],
    ["first line\nsecond 1", "first line\r\nanother", "\n first line\nx"],
    ["order_12345: failed", "order_99999: failed"],
    ["timed out after 5 s", "timed out after 1,234.5 s"],
    ["X: don't retry order 5", "X: don't retry order 6"],
]  # fmt: skip
# Every two of these are two causes.
APART = [
    "connection refused: billing",
    "connection refused: shipping",
    "PlaneUnknown: tailnum N1 is not in the planes table",
    "PlaneLost: tailnum N1 is not in the planes table",
    "HTTPError: HTTP Error 404: Not Found",
    "HTTPError: HTTP Error 503: Not Found",
    "HTTPStatusError: Server error '500 Internal' for url 'http://x/'",
    "HTTPStatusError: Client error '404 Not Found' for url 'http://x/'",
    "OperationalError: rolled back [SQLSTATE 40001]",
    "OperationalError: rolled back [SQLSTATE 40P01]",
    "X: don't do it, it won't work",
    "X: don't do it, it can't work",
    "MediaType: application/json is not accepted",
    "MediaType: text/html is not accepted",
    "and/or: which",
    "",
]


def message(reason):
    return normalised(reason)[0]


@pytest.mark.django_db
@pytest.mark.parametrize("reasons", TOGETHER, ids=lambda reasons: reasons[0][:30])
def test_one_cause_told_in_several_ways_is_one_message(reasons):
    assert len({message(reason) for reason in reasons}) == 1, [message(reason) for reason in reasons]


@pytest.mark.django_db
def test_two_causes_are_two_messages():
    found = {reason: message(reason) for reason in APART}
    assert len(set(found.values())) == len(APART), found


@pytest.mark.sized
@pytest.mark.django_db
@settings(max_examples=sized(120, 300), suppress_health_check=list(HealthCheck))
@given(st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=2_000),
    st.text("aZ09 .:/\\'\"`@<>value-_{}[]()\n\r", max_size=700),
    st.binary(max_size=900).map(lambda raw: raw.decode("latin-1").replace("\x00", "")),
))  # fmt: skip
def test_no_text_is_too_odd(text):
    once, again, error_class, frames, sqlstate, status = row(
        "SELECT dead_letter_message(%(t)s), dead_letter_message(%(t)s), dead_letter_error_class(%(t)s),"
        " dead_letter_frames(%(t)s), dead_letter_sqlstate(%(t)s), dead_letter_http_status(%(t)s)",
        {"t": text},
    )
    assert once == again
    assert len(once) <= 300
    assert "\n" not in once
    assert once.startswith(error_class)
    assert len(error_class) <= 255
    assert frames.count("\n") < 5
    assert len(sqlstate) in (0, 5)
    assert len(status) in (0, 3)


# words, values and quotes as messages have them: what is taken out stays out
PIECES = st.sampled_from(
    [
        "order",
        "N725MQ",
        "7",
        "is",
        "not",
        "'a b'",
        "<value>",
        "[HTTP 503]",
        "/a/b/c",
        "x@y.org",
        "JFK",
        "http://h/?q=1",
    ]
)


@pytest.mark.sized
@pytest.mark.django_db
@settings(max_examples=sized(80, 200), suppress_health_check=list(HealthCheck))
@given(st.lists(PIECES, max_size=12).map(" ".join))
def test_a_message_taken_apart_again_stays_as_it_is(text):
    assert message(message(f"Failure: {text}")) == message(f"Failure: {text}")


PYTHON = """Traceback (most recent call last):
  File "/srv/app/cause.py", line 3, in first
    raise KeyError("a")
KeyError: 'a'

The above exception led to the following one:

Traceback (most recent call last):
  File "<frozen runpy>", line 198, in _run_module_as_main
  File "/usr/lib/python3.13/threading.py", line 1, in run
  File "/opt/dlqconsole/processing/outcomes.py", line 9, in attempt
  File "/srv/{release}/app/orders.py", line {line}, in Orders.handle
    charge(order)
  File "/srv/{release}/app/billing.py", line {line}, in charge.<locals>.post
    client.post(url)
  File "/srv/venv/lib/python3.13/site-packages/httpx/_client.py", line 1144, in post
    return self.request()
httpx.ConnectTimeout: timed out
"""
JAVA = """java.lang.RuntimeException: outer
\tat com.acme.web.Servlet.doPost(Servlet.java:12)
Caused by: com.acme.BillingException: no
\tat java.base/java.util.Optional.orElseThrow(Optional.java:403)
\tat app//com.acme.Billing$$EnhancerBySpringCGLIB$$a1b2c3d4.charge(<generated>)
\tat com.acme.Orders.lambda$handle$0(Orders.java:77)
\tat org.springframework.web.Filter.doFilter(Filter.java:1)
\tat org.apache.spark.scheduler.Task.run(Task.scala:141)
\t... 12 more
"""
NODE = """Error: no
    at charge (/srv/app/billing.js:10:5)
    at async Orders.handle (file:///srv/app/orders.js:3:1)
    at run (/srv/app/node_modules/queue/index.js:1:1)
    at node:internal/process/task_queues:95:5
"""


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("trace", "frames"),
    [
        (PYTHON.replace("{release}", "v1").replace("{line}", "41"), "orders.py handle\nbilling.py post"),
        (PYTHON.replace("{release}", "v2").replace("{line}", "57"), "orders.py handle\nbilling.py post"),
        (JAVA, "com.acme.Orders.lambda$handle\ncom.acme.Billing.charge"),
        (NODE, "orders.js Orders.handle\nbilling.js charge"),
        ('  File "/a/deep.py", line 1, in down\n' * 900, "deep.py down"),
        ("".join(f'  File "/a/{name}.py", line 1, in f\n' for name in "abcdefg"),
         "c.py f\nd.py f\ne.py f\nf.py f\ng.py f"),
        ("nothing like a trace", ""),
        ("look at (this) at that (one)", ""),
        ("", ""),
        (None, ""),
    ],
    ids=["python", "after-a-deploy", "java", "node", "recursion", "five", "text", "at", "empty", "null"],
)  # fmt: skip
def test_the_applications_own_frames(trace, frames):
    assert value("SELECT dead_letter_frames(%s)", trace) == frames


@pytest.mark.django_db
def test_frames_tell_apart_what_says_the_same(letter):
    trace = 'Traceback (most recent call last):\n  File "/srv/{}.py", line {}, in f\n'
    groups = [
        DeadLetter.objects.get(
            pk=letter(error_reason="Bad: luck", error_stacktrace=trace.format(*where))
        ).group_id
        for where in [("a", 1), ("a", 99), ("b", 1)]
    ]
    assert groups[0] == groups[1] != groups[2]
    assert FailureGroup.objects.get(pk=groups[2]).frames == "b.py f"
