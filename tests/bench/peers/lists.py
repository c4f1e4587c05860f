"""The list of dead letters three ways, asked through Django's test client in one process.

Ours is the console's page. *Template* is Django by the book: model instances, Paginator, a template of the
same columns. *Admin* is a ModelAdmin as its documentation shows it.
"""

import time
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib import admin  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.paginator import Paginator  # noqa: E402
from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.template import engines  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import include, path  # noqa: E402

from dlqconsole.console.parts.paging import Cursor  # noqa: E402
from dlqconsole.engine.access_scope import EVERYTHING, ask_as  # noqa: E402
from dlqconsole.engine.counts import buckets, rollups, summaries  # noqa: E402
from dlqconsole.engine.dead_letters import payload_indexes  # noqa: E402
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter  # noqa: E402
from dlqconsole.engine.dead_letters.orders import NEWEST  # noqa: E402
from dlqconsole.engine.models import DeadLetter  # noqa: E402

ask_as(EVERYTHING)
ROWS = 50
TEMPLATE = """<!doctype html><title>Dead letters</title><p>{{ page.paginator.count }} dead letters</p><table>
{% for letter in page %}<tr>
<td><a href="/letters/{{ letter.pk }}/">{{ letter.pk }}</a></td><td>{{ letter.get_status_display }}</td>
<td>{{ letter.event_type }}</td><td>{{ letter.error_reason|truncatechars:200 }}</td>
<td>{{ letter.payload|truncatechars:200 }}</td><td>{{ letter.get_error_category_display }}</td>
<td>{{ letter.queue|default:"" }}</td><td>{{ letter.retry_count }}</td>
<td>{{ letter.created_at|timesince }}</td>
</tr>{% endfor %}
</table>
{% if page.has_previous %}<a href="?page={{ page.previous_page_number }}">newer</a>{% endif %}
{% if page.has_next %}<a href="?page={{ page.next_page_number }}">older</a>{% endif %}"""
plain = admin.AdminSite(name="plain")


@admin.register(DeadLetter, site=plain)
class PlainAdmin(admin.ModelAdmin):
    list_display = ("id", "created_at", "status", "error_category", "event_type", "error_reason", "queue")
    list_filter = ("status", "error_category", "event_type")
    search_fields = ("error_reason",)
    date_hierarchy = "created_at"
    list_per_page = ROWS
    ordering = ("-created_at", "-id")


def by_the_book(request: HttpRequest) -> HttpResponse:
    """What a tutorial would write."""
    found = Paginator(DeadLetter.objects.order_by("-created_at", "-id"), ROWS).get_page(
        request.GET.get("page")
    )
    return HttpResponse(engines["django"].from_string(TEMPLATE).render({"page": found}, request))


urlpatterns = [
    path("book/", by_the_book),
    path("plain/", plain.urls),
    path("", include("dlqconsole.own_urls")),
]
settings.ROOT_URLCONF = __name__
NEEDLES = {"text": "reason=shard+{needle}+within", "value": "payload.order_id={needle}"}
ADDRESSES = {
    "console": "/dead-letters/",
    "template": "/book/",
    "admin": "/plain/dlq_engine/deadletter/",
}


class Peer:
    def __init__(self, url: str) -> None:
        self.client = Client(headers={"host": "localhost"})
        user, _made = User.objects.get_or_create(username="bench", is_superuser=True, is_staff=True)
        self.client.force_login(user)
        rollups.fold()

    def view(self, whose: str, number: int) -> list[float]:
        """Ask for the first page so often; milliseconds each took."""
        return self._views(ADDRESSES[whose], number)

    def deep(self, page: int, number: int) -> list[list[float]]:
        """Our first page and a later one in turns, a link's way: by the position where it begins."""
        first, later = ADDRESSES["console"], f"{ADDRESSES['console']}?cursor={self._cursor(page)}"
        self._views(later, 1)
        pairs = [(self._views(first, 1)[0], self._views(later, 1)[0]) for _ in range(number)]
        return [list(side) for side in zip(*pairs, strict=True)]

    def figures(self, number: int) -> dict[str, Any]:
        """What the tabs' counts and the overview's histogram cost, in milliseconds; whether they are true."""
        tabs = [_timed(lambda: summaries.status_counts(DeadLetterFilter())) for _ in range(number)]
        of_type = DeadLetterFilter(type="order.type_1")
        typed = [_timed(lambda: summaries.status_counts(of_type)) for _ in range(number)]
        hours = [_timed(lambda: buckets.counts()) for _ in range(number)]
        return {
            "status": [ms for ms, _found in tabs],
            "type": [ms for ms, _found in typed],
            "hours": [ms for ms, _found in hours],
            "differences": len(rollups.check()),
        }

    def index(self) -> None:
        """Index the path of the needle, as ``manage.py index`` does."""
        payload_indexes.make("order_id")

    def needle(self, what: str, needle: int, number: int) -> list[float]:
        """Find one dead letter by a text, or by a value in its payload; milliseconds each page took."""
        query = NEEDLES[what].format(needle=needle)
        return self._views(f"{ADDRESSES['console']}?{query}", number)

    def _views(self, address: str, number: int) -> list[float]:
        return [_timed(lambda: self._get(address))[0] for _ in range(number)]

    def _get(self, address: str) -> None:
        answer = self.client.get(address)
        if answer.status_code != 200 or "order.type_" not in answer.content.decode():
            raise RuntimeError(f"{address} answered {answer.status_code} without a dead letter.")

    def _cursor(self, page: int) -> str:
        row = NEWEST.first(DeadLetter.objects.only("created_at"))[(page - 1) * ROWS - 1]
        return Cursor(NEWEST, (row.created_at, row.pk), (page - 1) * ROWS).encode()


def _timed(step: Any) -> tuple[float, Any]:
    begun = time.perf_counter()
    found = step()
    return (time.perf_counter() - begun) * 1000, found
