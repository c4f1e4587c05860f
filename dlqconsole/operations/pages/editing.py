"""Bulk edit: read a page of payloads, patch them here, and write them by one statement."""

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from django.conf import settings
from django.db import DatabaseError

from dlqconsole.core.handling import registry
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.core.settings import limits
from dlqconsole.core.transient_errors import (
    connection_lost,
    retry_transient,
    sentence,
    took_too_long,
)
from dlqconsole.hosting.database import transaction
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.pages.patched_payloads import PayloadRefused, patch_payload
from dlqconsole.operations.pages.statements import PAGE_SECONDS, page_limits, statement
from dlqconsole.operations.pages.work import OperationWork, PageResult, Rooms, Waits
from dlqconsole.operations.sql import sql
from dlqconsole.processing.patching import read_recipe

PAGE_BYTES = 16 * 1024 * 1024

type _Row = dict[str, Any]


class EditPages:
    """Pages of an operation that changes payloads by a recipe.

    Between reading and writing nothing is locked: the statement that writes takes only rows that are still
    as they were read.
    """

    def __init__(self, work: OperationWork) -> None:
        registry()  # a wrong DLQ_HANDLERS stops the operation, it is no payload's failure
        self.lease, self._changed = work.lease, work.changed
        self.size = settings.DLQ_OPERATION_PAGE
        self.at_most: int | None = None
        self.waits: Waits | None = None
        self.probes = False  # an edit has no canary
        self.rooms: Rooms | None = None
        self._recipe = read_recipe(str(work.lease.options.get("recipe", "")))
        self._values = work.values() | {
            "longest": limits().stored_characters,
            "most": PAGE_BYTES,
        }

    def next(self, after: int) -> PageResult:
        """Do the next page. A payload that the database rejects fails alone. Raises NotOurs."""
        while True:
            start = time.monotonic()
            rows = retry_transient(partial(self._read, after))
            try:
                page = retry_transient(partial(self._write, after, len(rows), self._patch(rows)))
            except DatabaseError as error:
                if connection_lost(error) or (len(rows) <= 1 and took_too_long(error)):
                    raise
                if len(rows) <= 1:
                    return self._fail(after, rows, sentence(error))
                self.size = len(rows) // 2  # halving finds the one row; see _grow for the way back
                continue
            self._grow(time.monotonic() - start)
            return page

    def _fail(self, after: int, rows: list[_Row], reason: str) -> PageResult:
        values = _refusals([(row, reason) for row in rows])
        page = retry_transient(partial(self._write, after, len(rows), values))
        self.size = min(2, settings.DLQ_OPERATION_PAGE)
        return page

    def _read(self, after: int) -> list[_Row]:
        limit = self.size if self.at_most is None else min(self.size, self.at_most)
        with transaction.atomic(durable=True):
            page_limits(nested_loops=False)
            return fetch_dicts(sql("editing.read"), self._values | {"after": after, "limit": limit})

    def _patch(self, rows: list[_Row]) -> dict[str, Any]:
        """The values of the statement: the new payloads, and the reasons why others have none."""
        edits, refusals = [], []
        for row in rows:
            if not row["able"]:
                continue
            try:
                edits.append((row, patch_payload(row, self._recipe).after))
            except PayloadRefused as problem:
                refusals.append((row, str(problem)))
        return _refusals(refusals) | {
            "ids": [row["id"] for row, _after in edits],
            "versions": [row["version"] for row, _after in edits],
            "texts": "\n".join(after.json_text or "" for _row, after in edits),
            "raws": [after.raw for _row, after in edits],
        }

    def _write(self, after: int, limit: int, values: Mapping[str, Any]) -> PageResult:
        """Write a page: one statement, one commit. ``limit``: the number of rows that were read."""
        with transaction.atomic(durable=True):
            page_limits(nested_loops=False)
            query = statement(sql("editing.write"), self._changed)
            rows = fetch_dicts(query, {**self._values, **values, "after": after, "limit": limit})
        if not rows:
            raise NotOurs
        return PageResult(rows[0]["last"], rows[0]["settled"])

    def _grow(self, seconds: float) -> None:
        if seconds > PAGE_SECONDS:
            self.size = max(self.size // 2, 1)
        elif seconds < PAGE_SECONDS / 4:
            self.size = min(self.size * 2, settings.DLQ_OPERATION_PAGE)


def _refusals(refusals: list[tuple[_Row, str]]) -> dict[str, Any]:
    """The statement's values for the rows that failed; it writes nothing for them."""
    return {
        "ids": [],
        "versions": [],
        "texts": "",
        "raws": [],
        "refused_ids": [row["id"] for row, _reason in refusals],
        "refused_versions": [row["version"] for row, _reason in refusals],
        "reasons": [reason for _row, reason in refusals],
    }
