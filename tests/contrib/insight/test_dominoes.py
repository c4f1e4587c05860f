"""A group's page says which groups fail before it and after it, with the same ids, and what is left to do."""

import json
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from dlqconsole.contrib.insight import dominoes as finding
from dlqconsole.contrib.insight import joining
from dlqconsole.core import messages
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.access_scope import AccessScope, asking_as
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter
from tests.moving import bring_to
from tests.plain_sql import execute
from tests.security.scoped_world import limited

pytestmark = pytest.mark.django_db

STEPS = {"order.made": "Refused: no stock", "order.paid": "Late: no order", "order.sent": "Lost: not paid"}
MADE, PAID, SENT = STEPS


@pytest.fixture
def chains(letter) -> dict[str, list[int]]:
    """Four orders: each failed first to be made, then to be paid, then sent; stored in another order."""
    start = timezone.now() - timedelta(hours=1)
    ids: dict[str, list[int]] = {step: [] for step in STEPS}
    for order in range(4):
        for step in (PAID, SENT, MADE):
            at = start + timedelta(minutes=[*STEPS].index(step), seconds=order)
            ids[step].append(failed(letter, step, f"order-{order}", at))
    return ids


def failed(letter, step, order, at=None, **columns):
    headers = json.dumps({"X-Correlation-Id": order, "tenant": "a"})
    values = {"error_reason": STEPS[step], "headers": headers, "source": "shop", "queue": step} | columns
    return letter(step, source_key=f"{step} {order}", first_failure_at=at or timezone.now(), **values)


def group_of(step):
    return DeadLetter.objects.filter(event_type=step).values_list("group_id", flat=True)[0]


def told(step):
    """What the card of a step's group says of the others: upstream, then downstream, by their steps."""
    found = finding.dominoes(group_of(step))
    steps = {group_of(name): name for name in STEPS if DeadLetter.objects.filter(event_type=name).exists()}
    return [{steps[row["id"]]: row for row in rows} for rows in (found.upstream, found.downstream)]


def figures(row):
    return row["to_revive"], row["under_way"], row["unfinished"]


def card(client, step):
    answer = client.get(f"/groups/{group_of(step)}/first-dominoes/", headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def succeed_by_a_revive(numbers):
    """Revive them, as anybody may by SQL, and be the consumer of their messages."""
    for number in numbers:
        execute("SELECT dead_letter_revive(%s)", number)
    queue = DeadLetter.objects.get(pk=numbers[0]).queue
    messages.complete(messages.claim(queue, len(numbers), "consumer", 60))


def succeed_when_sent_again(numbers):
    """Write the records of their events, as a handler does that gets them from upstream once more."""
    execute(
        "INSERT INTO enriched_events (event_type, source, source_key, record)"
        " SELECT event_type, source, source_key, '{}' FROM dlq_events WHERE id = ANY (%s)",
        numbers,
    )


def test_three_groups_stand_in_the_order_of_failing(chains):
    upstream, downstream = told(SENT)
    assert ([*upstream], [*downstream]) == ([MADE, PAID], [])
    upstream, downstream = told(PAID)
    assert ([*upstream], [*downstream]) == ([MADE], [SENT])
    upstream, downstream = told(MADE)
    assert ([*upstream], [*downstream]) == ([], [PAID, SENT])


def test_only_the_first_that_is_unfinished_is_to_be_revived(chains):
    upstream, _none = told(SENT)
    assert figures(upstream[MADE]) == (4, 0, 4)
    assert figures(upstream[PAID]) == (0, 0, 4)
    bring_to("SUCCEEDED", DeadLetter.objects.filter(pk__in=chains[MADE][:3]))
    bring_to("REVIVED", DeadLetter.objects.filter(pk__in=chains[PAID][:1]))
    upstream, _none = told(SENT)
    assert figures(upstream[MADE]) == (1, 0, 1)
    assert figures(upstream[PAID]) == (2, 1, 4)


def test_what_downstream_still_owes_shrinks_while_upstream_and_then_downstream_succeed(chains, viewer):
    assert told(MADE)[1][PAID]["rest"] == 0
    succeed_by_a_revive(chains[MADE][:3])
    assert told(PAID)[0][MADE]["to_revive"] == 1
    assert [told(MADE)[1][PAID][name] for name in ("still_open", "rest")] == [4, 3]
    succeed_when_sent_again(chains[PAID][:1])
    assert [told(MADE)[1][PAID][name] for name in ("still_open", "rest")] == [3, 2]
    assert "3 still open" in card(viewer, MADE)
    assert "the rest: 2 whose upstream succeeded" in card(viewer, MADE)
    bring_to("DISCARDED", DeadLetter.objects.filter(pk__in=chains[PAID][1:2]))
    assert told(MADE)[1][PAID]["rest"] == 1


def test_the_rest_s_link_lists_exactly_these(chains, viewer):
    succeed_by_a_revive(chains[MADE][:2])
    address = f"/dead-letters/?group={group_of(PAID)}&amp;rest_of={group_of(MADE)}"
    assert address in card(viewer, MADE)
    listed = viewer.get(address.replace("&amp;", "&")).content.decode()
    assert {int(number) for number in re.findall(r"/dead-letters/(\d+)/", listed)} == {*chains[PAID][:2]}
    everywhere = DeadLetterFilter.parse({"rest_of": str(group_of(MADE))})
    assert {*everywhere.queryset().values_list("pk", flat=True)} == {*chains[PAID][:2], *chains[SENT][:2]}
    others = DeadLetterFilter.parse({"q": f"-rest_of:{group_of(MADE)} type:{PAID}"})
    assert {*others.queryset().values_list("pk", flat=True)} == {*chains[PAID][2:]}
    assert "left open behind group" in listed
    with pytest.raises(InvalidFilter, match="rest_of must be the number of a failure group; it is “x”"):
        DeadLetterFilter.parse({"rest_of": "x"})


def test_the_card_names_shares_and_the_next_action(chains, viewer, letter):
    failed(letter, SENT, "order-of-its-own")
    page = viewer.get(f"/groups/{group_of(SENT)}/").content.decode()
    assert f'hx-get="/groups/{group_of(SENT)}/first-dominoes/"' in page
    words = card(viewer, SENT)
    assert "its newest 5, 5 of them with a trace or correlation id" in words
    assert words.count("in 4 of 5 (80 %)") == 2
    made, paid = words.partition(f'href="/groups/{group_of(PAID)}/"')[::2]
    assert f'href="/groups/{group_of(MADE)}/">Open it: revive there first</a> 4 to revive' in made
    assert "4 open there, behind the group above" in paid
    bring_to("REVIVED", DeadLetter.objects.filter(pk__in=chains[MADE]))
    assert "4 under way there: watch which of these still fail" in card(viewer, PAID)
    bring_to("SUCCEEDED", DeadLetter.objects.filter(pk__in=chains[MADE]))
    assert f"group={group_of(PAID)}&amp;rest_of={group_of(MADE)}" in card(viewer, PAID)
    assert "<h1>" in viewer.get(f"/groups/{group_of(PAID)}/first-dominoes/").content.decode()


def test_nobody_is_told_of_a_group_that_they_may_not_see(chains):
    succeed_by_a_revive(chains[MADE][:2])
    person = limited("viewer", [("*", PAID), ("*", SENT)])
    words = card(person, SENT)
    assert f"/groups/{group_of(PAID)}/" in words
    assert f"/groups/{group_of(MADE)}/" not in words
    assert STEPS[MADE] not in words
    assert person.get(f"/groups/{group_of(MADE)}/first-dominoes/").status_code == 404
    with asking_as(AccessScope.of([("*", PAID)])):
        assert not DeadLetterFilter(rest_of=group_of(MADE)).queryset().exists()


def test_of_a_group_only_what_somebody_sees_is_looked_at(chains, letter):
    failed(letter, MADE, "order-9", queue="elsewhere")
    failed(letter, SENT, "order-9", queue=SENT)
    with asking_as(AccessScope.of([(MADE, "*"), (SENT, "*")])):
        found = finding.dominoes(group_of(MADE))
    assert (found.sampled, [row["after"] for row in found.downstream]) == (4, [4])


def test_an_id_that_many_share_joins_nothing(letter, viewer):
    for number in range(joining.MOST):
        failed(letter, MADE, "unknown", source="shop", queue=f"q{number}")
        DeadLetter.objects.filter(source_key=f"{MADE} unknown").update(source_key=f"{number}")
    failed(letter, PAID, "unknown")
    words = card(viewer, PAID)
    assert "No other group fails with the same ids." in words
    assert "1 id that more than 50 dead letters share is left out." in words


def test_an_equal_key_is_no_id_and_without_ids_it_says_so(letter, chains, viewer):
    letter("order.lost", source_key="order-1", error_reason="Gone: yes")
    assert "Its dead letters have no trace or correlation id." in card(viewer, "order.lost")
    assert group_of("order.lost") not in {row["id"] for row in finding.dominoes(group_of(MADE)).downstream}


def test_titles_are_masked(letter, viewer):
    failed(letter, MADE, "order-1")
    failed(letter, PAID, "order-1", error_reason="Late: no invoice for ann.smith@example.org")
    execute("UPDATE failure_groups SET message = 'for ann.smith@example.org' WHERE id = %s", group_of(PAID))
    words = card(viewer, MADE)
    assert "‹email›" in words
    assert "ann.smith" not in words


def test_too_slow_is_said(chains, viewer, monkeypatch):
    monkeypatch.setattr(finding, "BUDGET", 1)
    whole = joining.query("groups")
    monkeypatch.setattr(joining, "query", lambda _verb: f"{whole} OFFSET (SELECT 0 FROM pg_sleep(5))")
    assert "Reading them took too long just now. Look again later." in card(viewer, SENT)
