"""Purging a queue as a person does it, and being the worker that does it."""

import re

from django.urls import reverse

from dlqconsole.operations.work import run


def purge_form(page) -> dict[str, str]:
    """The hidden fields of the confirm page."""
    matches = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.content.decode())
    return dict(matches) | {"of_queue": dict(page.context["preview"]["hidden"])["of_queue"]}


def purged(person, queue):
    """Purge all that stands on the queue; the receipt's page."""
    page = person.get(reverse("dlq:queue_purge", args=[queue]))
    form = purge_form(page) | {"reason": "x", "typed_count": page.context["preview"]["count"]}
    answer = person.post("/operations/", form)
    run.take_up()
    return person.get(answer["Location"])
