"""A database in which some things lie within a scope, and whatever does not carries a mark.

Seen are the queue ``orders`` and event types that begin with ``billing.``. Wherever MARK appears on a page or
in a file for somebody who is limited to these, something has leaked.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import Group, User
from django.test import Client

from dlqconsole.engine import audit
from dlqconsole.engine.counts import rollups
from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.groups import merging
from dlqconsole.engine.models import (
    DeadLetter,
    FailureGroup,
    FailureRule,
    HandlerReport,
    Queue,
    QueueActivity,
)
from dlqconsole.operations.models import Operation
from dlqconsole.operations.work import run
from dlqconsole.people.models import Scope
from dlqconsole.reports.models import Report, ReportRow
from dlqconsole.retries.models import RetryRun
from dlqconsole.retries.policies import PolicyScope, keeping
from dlqconsole.runs.models import PipelineRun
from tests.accounts import person
from tests.asking import ask_for
from tests.of_features import of_features
from tests.plain_sql import execute, rows, value

# no token of a form holds it by chance
MARK = "zqxhidden"
SCOPES = [("orders", "*"), ("*", "billing.*")]
WITHIN = "coalesce(queue, event_type) = 'orders' OR starts_with(event_type, 'billing.')"
ROLES = ("viewer", "operator", "admin")


@dataclass
class World:
    """Numbers of what is seen, and of what is not, by the name of an address's argument."""

    seen: dict[str, list[Any]] = field(default_factory=dict)
    hidden: dict[str, list[Any]] = field(default_factory=dict)
    mixed_group: int = 0
    mixed_operation: int = 0


def letters(number: int, event_type: str, queue: str | None, reason: str, **columns: Any) -> list[int]:
    """Insert so many as plain SQL does."""
    values = {"queue": queue, "error_reason": reason, "source": f"from {event_type}", **columns}
    names, places = ", ".join(values), ", ".join(["%s"] * len(values))
    payload = json.dumps({"order_id": 1} if MARK not in f"{event_type}{queue}" else {f"{MARK}payload": 7})
    return sorted(
        row[0]
        for row in rows(
            f"INSERT INTO dlq_events (event_type, payload, {names})"
            f" SELECT %s, %s, {places} FROM generate_series(1, %s) RETURNING id",
            event_type,
            payload,
            *values.values(),
            number,
        )
    )


def built() -> World:
    """Everything that has an address, seen and hidden."""
    # tokens are a person's own, whatever their scope
    world = World({"token_id": []}, {"token_id": []})
    orders = letters(3, "order.created", "orders", "Refused: card 1 said no")
    paid = letters(2, "billing.paid", None, "Late: of billing", status="EXHAUSTED")
    # the same failure on a queue that is not seen: one group, of which a part is seen
    elsewhere = letters(4, "order.created", f"{MARK}queue", "Refused: card 2 said no")
    others = letters(7, f"{MARK}type.a", f"{MARK}queue", f"{MARK}reason: no")
    unreadable = letters(1, "unknown", None, f"{MARK}unreadable: no", error_category="PERMANENT")
    merged = letters(2, "billing.merged", None, "Joined: of billing")
    world.seen["letter_id"] = [*orders, *paid, *merged]
    world.hidden["letter_id"] = [*elsewhere, *others, *unreadable]
    rollups.tidy()
    _groups(world, orders[0], paid[0], others[0], merged[0])
    _operations(world, orders, others)
    _queues(world)
    _words(world, others[0])
    for in_and_out_of_scope in of_features("in_and_out_of_scope"):
        in_and_out_of_scope(world)
    _policies(world)
    return world


def _group_of(letter_id: int) -> int:
    return DeadLetter.objects.values_list("group_id", flat=True).get(pk=letter_id)


def _groups(world: World, order: int, paid: int, other: int, merged: int) -> None:
    world.mixed_group = _group_of(order)
    hidden = _group_of(other)
    merging.merge([_group_of(merged)], hidden, actor="sql", reason=f"{MARK}merge")
    execute("SELECT reclassify_dead_letters(ARRAY[%s::bigint, %s::bigint])", merged, merged + 1)
    FailureGroup.objects.filter(pk__in=[hidden, world.mixed_group]).update(
        note=f"{MARK}note", ticket=f"{MARK}ticket"
    )
    world.seen["group_id"] = [_group_of(paid), world.mixed_group, hidden]
    far = letters(1, f"{MARK}type.b", f"{MARK}queue", f"{MARK}group: alone")
    world.hidden["letter_id"] += far
    rollups.tidy()
    FailureGroup.objects.filter(pk=_group_of(far[0])).update(note=f"{MARK}note", owner=f"{MARK}owner")
    world.hidden["group_id"] = [_group_of(far[0])]


def done(kind: str, reason: str, ids: list[int]) -> Operation:
    """An operation of somebody who sees everything, over these."""
    operation = ask_for(kind, actor="sql", reason=reason, ids=ids)
    run.run(operation.pk)
    operation.refresh_from_db()
    assert operation.status == "completed", operation.note
    return operation


def _operations(world: World, orders: list[int], others: list[int]) -> None:
    hidden = [
        done("discard", f"{MARK}operation", others[:2]),
        done("export", f"{MARK}operation", others),
        done("discard", f"{MARK}operation", others[2:]),
    ]
    mixed = done("restore", "of both", [*orders, *others[:2]])
    seen = done("discard", "of orders", orders[:1])
    world.hidden["operation_id"] = [operation.pk for operation in hidden]
    world.seen["operation_id"] = [mixed.pk, seen.pk]
    world.mixed_operation = mixed.pk


def _queues(world: World) -> None:
    Queue.objects.create(name="orders")
    Queue.objects.create(name=f"{MARK}queue", paused=True, retention="archive")
    for queue in ("orders", f"{MARK}queue", f"{MARK}waiting"):
        number = value(
            "INSERT INTO message_queue (queue, payload, last_error) VALUES (%s, %s, %s) RETURNING id",
            queue,
            json.dumps({"type": "order.created", f"in_{queue}": 1}),
            f"of {queue}",
        )
        side = world.hidden if MARK in queue else world.seen
        side.setdefault("queue", []).append(queue)
        side.setdefault("number", []).append(number)
    QueueActivity.objects.create(queue=f"{MARK}busy", minute="2026-11-22T00:00:00Z", completed=1)


def _words(world: World, other: int) -> None:
    for target in (
        f"queue:{MARK}queue",
        f"dead_letter:{other}",
        f"group:{world.mixed_group}",
        "user:1",
        "archive:all",
    ):
        audit.record("sql", f"{MARK}did", target, reason=f"{MARK}audit")
    audit.record("sql", f"{MARK}did", "dead_letters", reason=f"{MARK}exported", detail={"rows": 77_777})
    audit.record("sql", "edit", f"dead_letter:{world.seen['letter_id'][0]}", reason="of ours")
    rule = FailureRule.objects.create(
        name=f"{MARK}rule", event_type=f"{MARK}type.a", category="BUSINESS", position=1
    )
    world.hidden["rule_id"] = [rule.pk]
    run = PipelineRun.objects.create(kind="ingest", subject=f"/{MARK}run", message=f"{MARK}run")
    world.hidden["run_id"], world.hidden["job"] = [run.pk], ["ingest"]
    letter = editing.current(other)
    assert letter is not None
    execute(
        "INSERT INTO dlq_attempts (dlq_event_id, kind, worker, outcome, error_reason)"
        " VALUES (%s, 'schedule', %s, 'failed', %s)",
        other,
        f"{MARK}worker",
        f"{MARK}attempt",
    )
    HandlerReport.objects.create(
        worker="w", role="worker", event_types=["billing.paid", f"{MARK}type.handled"]
    )
    RetryRun.objects.create(trigger="schedule", worker=f"{MARK}worker", claimed=88_888, note=f"{MARK}run")
    PipelineRun.objects.create(
        kind="ingest", status="failed", subject=f"{MARK}file", message=f"{MARK}pipeline"
    )
    by_type = Report.objects.create(
        name="daily", title="Daily", keys=["event_type"], metrics=[["events", "count"]]
    )
    for event_type in ("billing.paid", f"{MARK}type.a"):
        ReportRow.objects.create(
            report=by_type, day="2026-11-20", key={"event_type": event_type}, figures={"events": 5}
        )
    far = Report.objects.create(
        name=f"{MARK}report", title=f"{MARK}title", keys=["carrier"], metrics=[["events", "count"]]
    )
    ReportRow.objects.create(report=far, day="2026-11-20", key={"carrier": "UA"}, figures={"events": 99_999})
    world.seen["report"], world.hidden["report"] = ["daily"], [far.name]


def _policies(world: World) -> None:
    """One of a type that is seen whole; of others, of more than one type, and of all, all paused."""
    who = {"actor": person("far"), "reason": f"{MARK}reason of a policy"}
    world.seen["policy_id"] = [keeping.add(PolicyScope("billing.paid"), {"rate": 2}, **who).pk]
    hidden = [PolicyScope(f"{MARK}type.a"), PolicyScope()]
    world.hidden["policy_id"] = [keeping.add(scope, {"rate": 2}, **who).pk for scope in hidden]
    # of a group of which a part is seen, that it is paused is told, and not why
    for scope in (*hidden, PolicyScope(group_id=_hidden_group())):
        keeping.pause(scope, **who)


def _hidden_group() -> int:
    return DeadLetter.objects.filter(event_type=f"{MARK}type.a").values_list("group_id", flat=True)[0]


def limited(role: str, scopes: list[tuple[str, str]] | None = None) -> Client:
    """A client of a new person of that role, limited to these."""
    user = User.objects.create(username=f"limited {role}", is_staff=role == "admin")
    user.groups.add(Group.objects.get(name=role))
    for queue, event_type in SCOPES if scopes is None else scopes:
        Scope.objects.create(user=user, queue=queue, event_type=event_type)
    client = Client()
    client.force_login(user)
    return client
