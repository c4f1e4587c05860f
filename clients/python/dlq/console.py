"""The console by HTTP: batches of failures."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

from .destinations import Away
from .reports import Report

_SECONDS, _LONGEST = 10, 3600.0
# about the address, the rights or the server; any other 4xx is about what was sent
_KEPT = (401, 403, 404, 405, 407, 408, 425, 429)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected POST becomes a GET of a sign-in page, whose answer looks like success."""

    def redirect_request(self, *_arguments: Any) -> None:
        return None


class _Refused(Exception):
    """The console will refuse this again; of a batch, it may say which and why."""

    def __init__(self, why: str, items: Mapping[int, str]) -> None:
        super().__init__(why)
        self.items = items


class Console:
    """The console's API, with a token that may report."""

    def __init__(self, address: str, token: str) -> None:
        self._address, self._token = address.rstrip("/"), token
        self._opener = urllib.request.build_opener(_NoRedirects)

    def send(self, reports: list[Report]) -> list[str]:
        refused: list[str] = []
        # in order: what failed again after its recovery is open
        for are_recoveries, group in itertools.groupby(reports, lambda report: "recovered" in report):
            if not are_recoveries:
                self._send_failures(list(group), refused)
                continue
            for report in group:
                self._try("recoveries", "application/json", report["recovered"], refused)
        return refused

    def _send_failures(self, failures: list[Report], refused: list[str]) -> None:
        """Send a batch, of which the console stores all or none."""
        try:
            self._post("failures", "application/json", failures)
        except _Refused as refusal:
            refused += refusal.items.values() or ([str(refusal)] if len(failures) == 1 else [])
            rest = [failure for place, failure in enumerate(failures) if place not in refusal.items]
            if 0 < len(rest) < len(failures):
                self._send_failures(rest, refused)
            elif rest and len(failures) > 1:  # it did not say which
                for failure in rest:
                    self._send_failures([failure], refused)

    def _try(self, path: str, content_type: str, body: object, refused: list[str]) -> None:
        try:
            self._post(path, content_type, body)
        except _Refused as why:
            refused.append(str(why))

    def _post(self, path: str, content_type: str, body: object) -> None:
        data = json.dumps(body, ensure_ascii=False).encode()
        request = urllib.request.Request(  # noqa: S310 - the scheme is looked at by `destination`
            f"{self._address}/api/v1/{path}",
            data,
            {
                "Content-Type": content_type,
                "Authorization": f"Bearer {self._token}",
                "User-Agent": "dlq",
            },
        )
        try:
            with self._opener.open(request, timeout=_SECONDS) as answer:
                answer.read(65_536)
        except urllib.error.HTTPError as answer:
            with answer:
                self._refuse(path, answer)
        except (OSError, http.client.HTTPException) as problem:
            raise Away(f"the console does not answer: {problem or type(problem).__name__}") from problem

    def _refuse(self, path: str, answer: urllib.error.HTTPError) -> None:
        if path == "recoveries" and answer.code == 404:
            return  # nothing failed under this key
        items = _items(answer) if 400 <= answer.code < 500 else {}
        if items or (400 <= answer.code < 500 and answer.code not in _KEPT):
            raise _Refused(f"the console refused it with {answer.code}", items)
        seconds = None
        with contextlib.suppress(ValueError):
            seconds = min(float(answer.headers.get("Retry-After", "")), _LONGEST)
        raise Away(f"the console answers {answer.code}", seconds)

    def close(self) -> None:
        """Nothing: each batch has a connection of its own."""

    def abandon(self) -> None:
        """Nothing, too."""


def _items(answer: urllib.error.HTTPError) -> dict[int, str]:
    """Return what the console says of single failures of a batch, by their places."""
    try:
        items = json.loads(answer.read(1_000_000))["items"]
        return {int(item["item"]): f"the console refused it: {item['detail']}" for item in items}
    except (OSError, ValueError, TypeError, LookupError, http.client.HTTPException):
        return {}
