"""The cost of the main pages: as many queries at any size, and no more work than so many bare templates.

Their time is compared with that of a template beside them, in one process: both are slower on a busy machine.
"""

import time
from statistics import median

import pytest
from django.core.paginator import Paginator
from django.db import connection
from django.template import engines
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from dlqconsole.engine.models import DeadLetter, FailureGroup
from tests.plain_sql import execute

SMALL, LARGE = 60, 1_200
ROWS, TIMES = 50, 7
# the most queries of each page, and how often the bare template's processor time: measured, and twice that
COSTS = {
    "overview": (54, 12),
    "list": (22, 16),
    "one dead letter": (43, 14),
    "group": (35, 14),
    "schedules": (31, 8),
}
TEMPLATE = """<!doctype html><title>Dead letters</title><p>{{ page.paginator.count }} dead letters</p><table>
{% for letter in page %}<tr>
<td><a href="/letters/{{ letter.pk }}/">{{ letter.pk }}</a></td><td>{{ letter.get_status_display }}</td>
<td>{{ letter.event_type }}</td><td>{{ letter.error_reason|truncatechars:200 }}</td>
<td>{{ letter.get_error_category_display }}</td><td>{{ letter.queue|default:"" }}</td>
<td>{{ letter.retry_count }}</td><td>{{ letter.created_at|timesince }}</td>
</tr>{% endfor %}
</table>"""

pytestmark = pytest.mark.django_db


def fill(number):
    """So many dead letters more, of two types that the sample handlers have, or not."""
    execute(
        "INSERT INTO dlq_events (event_type, payload, error_reason, error_category, status, come_backs,"
        " retry_after, created_at)"
        " SELECT CASE WHEN i %% 2 = 0 THEN 'order.created' ELSE 'order.lost' END,"
        " jsonb_build_object('order_id', i), 'Refused: billing said no to ' || i,"
        " CASE WHEN i %% 3 = 0 THEN 'BUSINESS' ELSE 'TRANSIENT' END,"
        " CASE WHEN i %% 4 = 0 THEN 'EXHAUSTED' ELSE 'PENDING' END, i %% 7,"
        " now() + (i %% 3 - 1) * interval '1 hour', now() - i * interval '1 s'"
        " FROM generate_series(1, %s) i",
        number,
    )
    execute("ANALYZE dlq_events")


def addresses():
    letter = DeadLetter.objects.filter(status="PENDING", event_type="order.created").latest(
        "created_at", "id"
    )
    group = FailureGroup.objects.get(pk=letter.group_id)
    return {
        "overview": reverse("dlq:overview"),
        "list": reverse("dlq:dead_letters"),
        "one dead letter": reverse("dlq:dead_letter", args=[letter.pk]),
        "group": reverse("dlq:group", args=[group.pk]),
        "schedules": reverse("dlq:schedules"),
    }


def queries(client, address):
    """The fewest queries of a page: one may have to read again a value that is kept for a second."""
    assert client.get(address).status_code == 200
    return min(queries_of_one(client, address) for _ in range(3))


def queries_of_one(client, address):
    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    return len(captured)


def seconds(step):
    """The processor time of this process that a step takes, in the middle of several."""
    step()
    took = []
    for _ in range(TIMES):
        begun = time.process_time()
        step()
        took.append(time.process_time() - begun)
    return median(took)


def by_the_book():
    """The code of a tutorial, for the same rows."""
    page = Paginator(DeadLetter.objects.order_by("-created_at", "-id"), ROWS).get_page(1)
    return engines["django"].from_string(TEMPLATE).render({"page": page})


@pytest.mark.parametrize("handlers", ["", "tests.sample_handlers"], ids=["no handlers", "handlers"])
def test_a_page_costs_the_same_at_any_size_whoever_handles_what(operator, settings, handlers):
    settings.DLQ_HANDLERS = handlers
    fill(SMALL)
    small = {name: queries(operator, address) for name, address in addresses().items()}
    fill(LARGE - SMALL)
    large = {name: queries(operator, address) for name, address in addresses().items()}
    assert large == small
    assert {name: number for name, number in large.items() if number > COSTS[name][0]} == {}
    bare = seconds(by_the_book)
    ratios = {
        name: seconds(lambda address=address: operator.get(address)) / bare
        for name, address in addresses().items()
    }
    print({name: (large[name], round(ratio, 1)) for name, ratio in ratios.items()})
    assert {name: ratio for name, ratio in ratios.items() if ratio > COSTS[name][1]} == {}
