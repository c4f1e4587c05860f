"""The console by HTTP: batches of CloudEvents."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import itertools
import json
import urllib.error
import urllib.request
from typing import Any

from .destinations import Away
from .reports import Report

_SECONDS = 10
# about the address, the rights or the server; any other 4xx is about what was sent
_KEPT = (401, 403, 404, 405, 407, 408, 425, 429)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected POST becomes a GET of a sign-in page, whose answer looks like success."""

    def redirect_request(self, *_arguments: Any) -> None:
        return None


class _Refused(Exception):
    """The console will refuse this again."""


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
        try:
            self._post("failures", "application/cloudevents-batch+json", failures)
        except _Refused as why:
            if len(failures) == 1:
                refused.append(str(why))
                return
            for failure in failures:  # one of them is wrong; what is stored already is not stored again
                self._send_failures([failure], refused)

    def _try(self, path: str, content_type: str, body: object, refused: list[str]) -> None:
        try:
            self._post(path, content_type, body)
        except _Refused as why:
            refused.append(str(why))

    def _post(self, path: str, content_type: str, body: object) -> None:
        data = json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - the scheme is looked at by `destination`
            f"{self._address}/api/v1/{path}",
            data,
            {
                "Content-Type": content_type,
                "Authorization": f"Bearer {self._token}",
                "Idempotency-Key": hashlib.sha256(data).hexdigest()[:32],
                "User-Agent": "dlq",
            },
        )
        try:
            with self._opener.open(request, timeout=_SECONDS) as answer:
                answer.read(65_536)
        except urllib.error.HTTPError as answer:
            with answer:
                self._refuse(answer.code, answer.headers.get("Retry-After", ""))
        except (OSError, http.client.HTTPException) as problem:
            raise Away(f"the console does not answer: {problem or type(problem).__name__}") from problem

    def _refuse(self, status: int, retry_after: str) -> None:
        if 400 <= status < 500 and status not in _KEPT:
            raise _Refused(f"the console refused it with {status}")
        seconds = None
        with contextlib.suppress(ValueError):
            seconds = float(retry_after)
        raise Away(f"the console answers {status}", seconds)

    def close(self) -> None:
        """Nothing: each batch has a connection of its own."""

    def abandon(self) -> None:
        """Nothing, too."""
