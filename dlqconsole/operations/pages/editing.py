"""Bulk edit: read a page of payloads, patch them here, and write them by one statement."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
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
from dlqconsole.engine.gate import brings_out
from dlqconsole.hosting.database import transaction
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.pages.statements import PAGE_SECONDS, page_limits, statement
from dlqconsole.operations.pages.work import OperationWork, PageResult, Rooms, Waits
from dlqconsole.operations.sql import sql
from dlqconsole.processing import exact_json
from dlqconsole.processing.edits import Before, EditRefused, check_edit
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.json_hazards import MAX_DEPTH
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.patching import PatchRefused, Recipe, read_recipe
from dlqconsole.processing.payloads import decode_stored
from dlqconsole.processing.strict_json import OK, SANITISED, Decoded

PAGE_BYTES = 16 * 1024 * 1024

type _Row = dict[str, Any]

REASON_LIMIT = 500
BRINGS_OUT = stored("the recipe would bring what a masked key holds to a key that is not masked")
NOTHING = stored("the recipe changes nothing in it")
NOT_APPLIED = stored("the recipe could not be applied: {error}")
NOT_EXACT = stored("a recipe cannot keep its payload exact: {problem_sentence}")
NOT_READ = stored("its payload cannot be read: {problem_sentence}")


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


class PayloadRefused(Exception):
    """This dead letter is not edited; the sentence says why, and contains nothing of the payload."""


@dataclass(frozen=True, slots=True)
class PatchedPayload:
    """The payload of one dead letter before and after the recipe."""

    before: str
    after: Decoded


def patch_payload(row: Mapping[str, Any], recipe: Recipe) -> PatchedPayload:
    """Apply the recipe to one row as ``editing.read`` gives it. Raises PayloadRefused for any failure."""
    try:
        return _patch(row, recipe)
    except (PatchRefused, EditRefused) as refusal:
        raise PayloadRefused(" ".join(str(refusal).split())[:REASON_LIMIT]) from None
    except PayloadRefused:
        raise
    except Exception as error:  # a poison row harms only itself
        raise PayloadRefused(NOT_APPLIED.format(error=type(error).__name__)) from error


def _patch(row: Mapping[str, Any], recipe: Recipe) -> PatchedPayload:
    text = _exact_text(row)
    value = exact_json.loads(text)
    was = exact_json.dumps(value)
    # the recipe changes the value itself; the event's identity stands at the top
    before = Decoded(OK, dict(value) if isinstance(value, dict) else value, text)
    after = exact_json.dumps(recipe.apply(value, limits().payload_bytes))
    # only the order of its keys may differ; then the length is the same
    if len(after) == len(was) and (after == was or exact_json.canonical(after) == exact_json.canonical(was)):
        raise PayloadRefused(NOTHING)
    headers = {} if row["ce_time"] is None else {"ce_time": row["ce_time"]}
    event = Before(before, row["event_type"], row["source"], row["source_key"], headers)
    if brings_out(text, after):
        raise PayloadRefused(BRINGS_OUT)
    return PatchedPayload(text, check_edit(event, after, registry(), limits()))


def _is_small(text: str, bounds: Limits) -> bool:
    """Tell whether a text of JSONB is surely within all limits."""
    levels = text.count("{") + text.count("[")
    keys = text.count('": ')
    return levels <= MAX_DEPTH and keys <= bounds.payload_keys and len(text) * 4 <= bounds.payload_bytes


def _exact_text(row: Mapping[str, Any]) -> str:
    """The payload, if a recipe can keep it exact. Raises PayloadRefused."""
    text, raw, bounds = row["text"], row["raw"], limits()
    if raw is None and text and _is_small(text, bounds):
        return str(text)  # a text of JSONB is exact; only depth and size could be wrong
    payload = decode_stored(text, raw, bounds)
    if payload.state == SANITISED:
        raise PayloadRefused(NOT_EXACT.format(problem_sentence=payload.problem))
    if payload.state != OK or payload.json_text is None:
        raise PayloadRefused(NOT_READ.format(problem_sentence=payload.problem))
    return payload.json_text
