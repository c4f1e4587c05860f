"""Refusals as problem+json (RFC 9457): a sentence that says what to do, and nothing of what was sent."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import orjson
from django.http import HttpResponse

CONTENT_TYPE = "application/problem+json"


class Problem(Exception):
    """``detail``: the sentence. ``items``: each failure of a batch that is wrong, by its place, and why."""

    def __init__(
        self,
        status: int,
        detail: str,
        headers: Mapping[str, str] | None = None,
        items: Sequence[tuple[int, str]] = (),
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers, self.items = status, detail, headers or {}, items

    def response(self) -> HttpResponse:
        """Return the answer."""
        status = HTTPStatus(self.status)
        content: dict[str, Any] = {"type": "about:blank", "title": status.phrase, "status": self.status}
        content["detail"] = self.detail
        if self.items:
            content["items"] = [{"item": place, "detail": sentence} for place, sentence in self.items]
        return HttpResponse(orjson.dumps(content), CONTENT_TYPE, self.status, headers=dict(self.headers))
