"""Freezing: store the filter's matches as items, so that the worker does exactly what a person confirmed."""

import json
import time
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.db import Error
from django.db.models import QuerySet

from dlqconsole.core.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.core.transient_errors import retry_transient, took_too_long
from dlqconsole.engine.access_scope import EVERYTHING, AccessScope, asking_as, current_access
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter
from dlqconsole.hosting.database import connection, transaction
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import NotOurs
from dlqconsole.operations.items import DEAD_LETTERS, MESSAGES, Items
from dlqconsole.operations.models import Status
from dlqconsole.operations.pages import exporting
from dlqconsole.operations.pages.statements import page_limits
from dlqconsole.operations.pages.work import OperationLease
from dlqconsole.operations.requests.scope import ItemsOf, Matching, Rows
from dlqconsole.operations.sql import sql
from dlqconsole.processing import crash_points
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.transports.message_actions import browser_of
from dlqconsole.transports.queue_overview import is_attached

FIRST_WINDOW = 20_000
WINDOW_SECONDS = 0.5
UNPROVEN = stored(
    "These are more than one person may do alone, and nobody is known to have asked for it: sign in, or use a"
    " personal token. Nothing was done."
)


@dataclass(slots=True)
class FreezingProgress:
    """The state of a freezing: its scope, and the number up to which it has come."""

    scope: str
    filter: DeadLetterFilter
    source: tuple[int | None, str]
    queue: str
    ids: tuple[int, ...]
    access: AccessScope
    frozen_to: int
    cutoff: int
    states: tuple[str, ...] = ()

    @property
    def items(self) -> Items:
        return MESSAGES if self.scope == "queue" else DEAD_LETTERS

    @property
    def is_complete(self) -> bool:
        return self.frozen_to >= self.cutoff

    def select(self, end: int) -> tuple[str, tuple[Any, ...]]:
        """A SELECT of the ids up to ``end`` and the columns stored beside them, with its parameters."""
        if self.scope == "queue" and is_attached(self.queue):
            browser, there = browser_of(self.queue)
            return sql("freezing.messages_there"), (browser.numbers(there, self.frozen_to, end),)
        if self.scope == "queue":
            return sql("freezing.messages_of"), (self.queue, self.frozen_to, end)
        if self.scope == "items" and not self.access.is_limited:
            return sql("freezing.items_of"), (*self.source, self.frozen_to, end)
        rows = self._within().filter(pk__gt=self.frozen_to, pk__lte=end)
        columns = rows.values_list("pk", "group_id", "status", "payload_version")
        select, parameters = columns.query.sql_with_params()
        return select, tuple(parameters)

    def letters(self) -> QuerySet[DeadLetter]:
        """The whole selection, up to the cutoff."""
        return self._within().filter(pk__lte=self.cutoff)

    def _within(self) -> QuerySet[DeadLetter]:
        if self.scope == "rows":
            return Rows(self.ids).queryset()
        operation_id, outcome = self.source
        if self.scope == "items" and operation_id is not None:
            return ItemsOf(operation_id, outcome).queryset()
        return self._matching.queryset()

    @property
    def _matching(self) -> Matching:
        return Matching(self.filter, self.states)


def freeze(lease: OperationLease, deadline: float) -> bool:
    """Store the selection; True when it is complete and work on it may begin. Raises NotOurs.

    A selection that waits for a second person's approval ends this worker's lease. So does one that may not
    wait.
    """
    progress = _progress(lease)
    with asking_as(progress.access):
        kind = kinds.get(lease.kind)
        if kind.has_file:
            exporting.write(lease, kind.sheet(lease.options, progress.letters(), progress.cutoff))
        elif progress.scope == "rows":
            retry_transient(lambda: _freeze_rows(lease, progress))
        elif not _freeze_windows(lease, progress, deadline):
            return False
    if retry_transient(lambda: _finish(lease)) != Status.RUNNING:
        raise NotOurs
    return True


def _freeze_windows(lease: OperationLease, progress: FreezingProgress, deadline: float) -> bool:
    """Freeze window by window until the cutoff; False when the time is used up before."""
    window = FIRST_WINDOW
    while not progress.is_complete:
        start = time.monotonic()
        try:
            retry_transient(partial(_freeze_window, lease, progress, window))
        except Error as error:
            if not took_too_long(error) or window == 1:
                raise
            window = max(window // 4, 1)
            continue
        if time.monotonic() > deadline:
            return progress.is_complete
        # a window of ids, not a number of matches: so a filter without matches moves on steadily, too
        window = _next_window(window, time.monotonic() - start)
    return True


def _next_window(window: int, seconds: float) -> int:
    if seconds < WINDOW_SECONDS / 2:
        return window * 2
    return max(window // 2, 1) if seconds > WINDOW_SECONDS * 2 else window


def _progress(lease: OperationLease) -> FreezingProgress:
    for row in fetch_dicts(sql("freezing.progress"), lease.values()):
        filter = DeadLetterFilter.from_canonical(json.loads(row["filter"]))
        source = (row["source_operation_id"], row["source_outcome"])
        scopes = json.loads(row["access_scope"] or "null")
        access = EVERYTHING if scopes is None else AccessScope.of(map(tuple, scopes))
        states = tuple(json.loads(row["states"] or "[]"))
        return FreezingProgress(
            row["scope"],
            filter,
            source,
            row["queue"],
            tuple(json.loads(row["ids"])),
            access,
            row["frozen_to_id"],
            row["cutoff_id"],
            states,
        )
    raise NotOurs


def _freeze_rows(lease: OperationLease, progress: FreezingProgress) -> None:
    access = current_access()
    condition = sql("freezing.seen").format(letters=access.letters("s")) if access.is_limited else "true"
    with transaction.atomic(durable=True):
        page_limits()
        query = sql("freezing.rows").replace("{seen}", condition)
        if not fetch_column(query, lease.values() | access.values()):
            raise NotOurs
        _note_parts(lease, progress, progress.cutoff)


def _freeze_window(lease: OperationLease, progress: FreezingProgress, window: int) -> None:
    """Freeze one window of ids, in one commit."""
    end = min(progress.frozen_to + window, progress.cutoff)
    select, parameters = progress.select(end)
    values = [lease.id, lease.token, progress.frozen_to, *parameters, end, lease.lease_seconds]
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        page_limits()
        window_of = progress.items.put_into(sql("freezing.window"))
        cursor.execute(window_of.replace("{matched}", select), values)
        row = cursor.fetchone()
        if row is not None:
            _note_parts(lease, progress, end)
        crash_points.reach("operation.freezing")
    crash_points.reach("operation.frozen")
    if row is None:
        raise NotOurs
    progress.frozen_to = end


def _note_parts(lease: OperationLease, progress: FreezingProgress, end: int) -> None:
    """Note the queues and event types of the items just frozen, in their transaction."""
    name = "messages_parts" if progress.items is MESSAGES else "parts"
    values = {"id": lease.id, "after": progress.frozen_to, "end": end, "queue": progress.queue}
    execute(sql(f"freezing.{name}"), values)


def _finish(lease: OperationLease) -> str:
    values = lease.values() | {"approval_seconds": settings.DLQ_APPROVAL_SECONDS, "refused": UNPROVEN}
    statuses = fetch_column(sql("freezing.frozen"), values)
    if not statuses:
        raise NotOurs
    return str(statuses[0])
