"""Bulk edit: a page of payloads is read, patched here, and written by one statement."""

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from django.conf import settings
from django.db import DatabaseError, transaction

from dlqconsole.engine.database.transient_errors import (
    connection_lost,
    retry_transient,
    sentence,
    took_too_long,
)
from dlqconsole.engine.handling import registry
from dlqconsole.engine.limits import limits
from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.limits import page_limits
from dlqconsole.operations.pages import PAGE_SECONDS, statement
from dlqconsole.operations.patched_payloads import Refused, patched
from dlqconsole.operations.sql import sql
from dlqconsole.operations.work import Page, Rooms, Waits, Work
from dlqconsole.processing.patching import read_recipe

PAGE_BYTES = 16 * 1024 * 1024

type _Row = dict[str, Any]


class EditPages:
    """Pages of an operation that changes payloads by a recipe.

    Between reading and writing nothing is locked: the statement that writes takes only what is still as it
    was read.
    """

    def __init__(self, work: Work) -> None:
        registry()  # a wrong DLQ_HANDLERS stops the operation, it is no payload's failure
        self.held, self._changed = work.held, work.changed
        self.size = settings.DLQ_OPERATION_PAGE
        self.at_most: int | None = None
        self.waits: Waits | None = None
        self.probes = False  # an edit has no canary
        self.rooms: Rooms | None = None
        self._recipe = read_recipe(str(work.held.options.get("recipe", "")))
        self._values = work.values() | {
            "longest": limits().stored_characters,
            "most": PAGE_BYTES,
        }

    def next(self, after: int) -> Page:
        """Do the next page. A payload that the database will not have fails alone. Raises NotOurs."""
        while True:
            started = time.monotonic()
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
            self._grow(time.monotonic() - started)
            return page

    def _fail(self, after: int, rows: list[_Row], reason: str) -> Page:
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
        """What the statement is told: the new payloads, and why not the others."""
        made, refused = [], []
        for row in rows:
            if not row["able"]:
                continue
            try:
                made.append((row, patched(row, self._recipe).after))
            except Refused as problem:
                refused.append((row, str(problem)))
        return _refusals(refused) | {
            "ids": [row["id"] for row, _after in made],
            "versions": [row["version"] for row, _after in made],
            "texts": "\n".join(after.json_text or "" for _row, after in made),
            "raws": [after.raw for _row, after in made],
        }

    def _write(self, after: int, limit: int, values: Mapping[str, Any]) -> Page:
        """One statement, one commit. ``limit``: as many as were read."""
        with transaction.atomic(durable=True):
            page_limits(nested_loops=False)
            query = statement(sql("editing.write"), self._changed)
            rows = fetch_dicts(query, {**self._values, **values, "after": after, "limit": limit})
        if not rows:
            raise NotOurs
        return Page(rows[0]["last"], rows[0]["settled"])

    def _grow(self, seconds: float) -> None:
        if seconds > PAGE_SECONDS:
            self.size = max(self.size // 2, 1)
        elif seconds < PAGE_SECONDS / 4:
            self.size = min(self.size * 2, settings.DLQ_OPERATION_PAGE)


def _refusals(refused: list[tuple[_Row, str]]) -> dict[str, Any]:
    """The part of the statement's values that says what failed; nothing is written."""
    return {
        "ids": [],
        "versions": [],
        "texts": "",
        "raws": [],
        "refused_ids": [row["id"] for row, _reason in refused],
        "refused_versions": [row["version"] for row, _reason in refused],
        "reasons": [reason for _row, reason in refused],
    }
