"""J2: a whole stack trace, however long, opens its failure group."""

import pytest
from django.contrib.auth.models import User

from dlqconsole.engine.models import DeadLetter
from dlqconsole.people.models import Scope

TRACE = """Traceback (most recent call last):
  File "/usr/lib/python3.13/site-packages/lib.py", line 1, in wrapper
    return f()
  File "/srv/shop/consumer.py", line {line}, in handle
    charge(order)
  File "/srv/shop/billing.py", line 7, in charge
    raise error
"""
REASON = "TimeoutError: no answer from shard {shard} within 30 s"
JAVA = """Exception in thread "main" java.lang.IllegalStateException: order {n} is not open
\tat com.acme.Orders.close(Orders.java:{n})
\tat java.base/java.lang.Thread.run(Thread.java:833)
Caused by: com.acme.Locked: ledger {n} is locked
\tat com.acme.Ledger.lock(Ledger.java:{n})
"""


@pytest.fixture
def group(letter) -> int:
    one = letter(error_reason=REASON.format(shard=17), error_stacktrace=TRACE.format(line=41))
    letter(error_reason=REASON.format(shard=18), error_stacktrace=TRACE.format(line=45))
    letter(error_reason="Other: nothing to do with it")
    return DeadLetter.objects.get(pk=one).group_id


def pasted(client, text: str) -> str:
    return client.post("/dead-letters/find", {"text": text})["Location"]


@pytest.mark.parametrize("words", ["", "x" * 200_000])
def test_a_trace_of_any_length_opens_its_group(viewer, group, words):
    """Of another deploy, another shard, with what a log has written before it."""
    text = f"{words}\n{TRACE.format(line=99)}{REASON.format(shard=4711)}\n\n"
    assert pasted(viewer, text) == f"/groups/{group}/"


def test_so_does_one_without_its_last_line_and_its_last_line_alone(viewer, group):
    assert pasted(viewer, TRACE.format(line=3)) == f"/groups/{group}/"
    assert pasted(viewer, REASON.format(shard=1)) == f"/groups/{group}/"


def test_what_several_groups_say_is_listed(viewer, letter, group):
    letter("order.paid", error_reason=REASON.format(shard=1), error_stacktrace=TRACE.format(line=1))
    address = pasted(viewer, TRACE.format(line=3) + REASON.format(shard=2))
    assert address == "/dead-letters/?q=TimeoutError:+no+answer+from+shard&stay=1"
    assert len(viewer.get(address).context["rows"]) == 3


@pytest.mark.parametrize(
    "reason",
    ["java.lang.IllegalStateException: order 5 is not open", "com.acme.Locked: ledger 5 is locked"],
)
def test_a_java_trace_is_known_by_its_cause_or_its_head(viewer, letter, reason):
    one = letter("java", error_reason=reason, error_stacktrace=JAVA.format(n=5))
    group_id = DeadLetter.objects.get(pk=one).group_id
    assert pasted(viewer, JAVA.format(n=77)) == f"/groups/{group_id}/"


def test_what_no_group_has_is_searched_by_its_last_line(operator, group):
    address = pasted(operator, "some words\nshard 18 within\n")
    assert address == "/dead-letters/?q=shard+18+within&stay=1"
    assert len(operator.get(address).context["rows"]) == 1


@pytest.mark.parametrize("text", ["", "\x00", "\n\n", "‹" * 100_000, "at " * 50_000])
def test_junk_finds_nothing_and_harms_nothing(viewer, group, text):
    assert viewer.get(pasted(viewer, text)).status_code == 200


def test_nobody_opens_a_group_beyond_their_reach(viewer, group):
    Scope.objects.create(user=User.objects.get(username="viewer"), queue="elsewhere")
    assert pasted(viewer, TRACE.format(line=3)).startswith("/dead-letters/")
