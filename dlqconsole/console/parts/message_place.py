"""The place of a queue's messages: on it, or, for an attached queue, still here on their way to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from dlqconsole.core.errors import UnknownQueue
from dlqconsole.hosting.wording import translated
from dlqconsole.transports.browser import Browser
from dlqconsole.transports.message_actions import browser_of
from dlqconsole.transports.queue_overview import is_attached

ON_THE_WAY = "on_the_way"


@dataclass(frozen=True, slots=True)
class MessagePlace:
    """The messages of a queue in one of its places, as pages reach them. ``queue``: its name there."""

    name: str
    browser: Browser
    queue: str
    is_attached: bool
    on_the_way: bool

    @classmethod
    def of(cls, name: str, *, on_the_way: bool = False) -> MessagePlace:
        """Return the place; Http404 where its system shows no messages."""
        attached = is_attached(name)
        on_the_way = on_the_way and attached
        try:
            browser, queue = browser_of(name, on_the_way=on_the_way)
        except UnknownQueue as refusal:
            raise Http404(translated(refusal)) from refusal
        return cls(name, browser, queue, attached and not on_the_way, on_the_way)

    @classmethod
    def asked_for(cls, request: HttpRequest, name: str) -> MessagePlace:
        """Return the place that an address of one message names."""
        return cls.of(name, on_the_way=ON_THE_WAY in request.GET)

    def message(self, number: int) -> dict[str, Any]:
        """Return a message; Http404 where it is not there."""
        row = self.browser.message(self.queue, number)
        if row is None:
            raise Http404(
                _(
                    "Message {number} is not on this queue: it was completed, dead-lettered or never here."
                ).format(number=number)
            )
        return row

    def target(self, number: int) -> str:
        """Return the message's name in the audit log. Our own numbers are those of no other queue."""
        return f"message:{self.name}/{number}" if self.is_attached else f"message:{number}"

    def url(self, page: str, number: int) -> str:
        """Return the address of a page about one message."""
        return reverse(f"dlq:{page}", args=[self.name, number]) + (
            f"?{ON_THE_WAY}=1" if self.on_the_way else ""
        )
