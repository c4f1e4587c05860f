"""Queues as rows: making, changing, pausing and dropping them. Each is one transaction with its audit row.

A queue needs no row; without one it has the default policy. A purge is an operation, and says in
``engine.queues.purging`` what it would take; figures are in ``engine.queues.metrics``.
"""

import time
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dlqconsole.core.errors import InvalidQueue
from dlqconsole.core.messages import archives, queues, unblock_forgotten
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.engine import audit, breakers
from dlqconsole.engine.models import Queue
from dlqconsole.engine.queues import known
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues.known import holds_messages, require_known
from dlqconsole.engine.queues.obstacles import blocked_by_breaker
from dlqconsole.engine.queues.policy import check_kept_name, check_new_name, check_policy, quote
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.database import connection, transaction

# messages one statement lets go
PAGE = 5_000


def create(name: str, *, actor: str, reason: str, **policy: Any) -> Queue:
    """Make a queue with a policy. Raises InvalidQueue, a sentence for each thing that is wrong."""
    check_new_name(name)
    values = check_policy(policy)
    with transaction.atomic():
        _one_at_a_time()
        _check_free(name)
        Queue.objects.create(name=name, **values)
        audit.record(actor, "create", f"queue:{name}", reason=reason, detail=values)
    queues.forget()
    if "archive_days" in values:
        archives.prepare_soon()
    return Queue.objects.get(pk=name)


def change(name: str, *, actor: str, reason: str, **policy: Any) -> dict[str, list[Any]]:
    """Change some of a queue's policy. Return the changed fields, each with its old and new value.

    Raises UnknownQueue and InvalidQueue. A queue without a row gets one. Archived messages keep their time:
    see ``archive_retention``.
    """
    values = check_policy(policy)
    with transaction.atomic():
        queue = _row(name)
        changes = {
            field: [getattr(queue, field), value]
            for field, value in values.items()
            if getattr(queue, field) != value
        }
        if "unlogged" in changes:
            _check_empty_to_move(name)
        if changes:
            Queue.objects.filter(pk=name).update(**{field: new for field, (_old, new) in changes.items()})
            audit.record(actor, "change", f"queue:{name}", reason=reason, detail={"changes": changes})
    queues.forget()
    if "archive_days" in changes:
        archives.prepare_soon()
    if changes.get("unlogged") == [True, False]:
        _gather(name)
    if changes.get("fifo_groups") == [True, False]:
        _let_go(name)
    elif "on_dead_letter" in changes:
        unblock_forgotten(name)
    return changes


def pause(name: str, *, actor: str, reason: str) -> bool:
    """Let nobody claim from the queue; what is in flight is finished. False: it was paused already."""
    return _set_paused(name, True, "pause", actor, reason)


def resume(name: str, *, actor: str, reason: str) -> bool:
    """Let consumers go on, also where they leave it alone by themselves. False: nothing held them up."""
    require_known(name)
    with transaction.atomic():
        breaker = blocked_by_breaker([name]).get(name)
        was_left_alone = breaker is not None and breakers.resume(breaker.key, actor, reason)
        # a queue of another system has no row, and needs none to be let go on
        has_row = Queue.objects.filter(pk=name).exists()
        was_paused = has_row and _set_paused(name, False, "resume", actor, reason)
        if breaker is not None and was_left_alone and not was_paused:
            audit.record(actor, "resume", f"queue:{name}", reason=reason, detail={"breaker": breaker.key})
    return was_left_alone or was_paused


def drop(name: str, *, actor: str, reason: str) -> None:
    """Remove a queue's row, figures, topics. Its dead letters stay, its archived messages until their time.

    Raises UnknownQueue, and InvalidQueue while messages stand on it: they are purged first, by an operation.
    """
    require_known(name)
    with transaction.atomic():
        list(Queue.objects.select_for_update().filter(pk=name))
        _check_empty_to_drop(name)
        [existed] = fetch_column("SELECT queue_forget(%(queue)s)", {"queue": name})
        if not existed:
            raise InvalidQueue(
                _(
                    "The queue {name} has neither a policy nor messages: only its dead letters name it,"
                    " and they stay."
                ).format(name=quote(name))
            )
        audit.record(actor, "drop", f"queue:{name}", reason=reason)
    queues.forget()


def _set_paused(name: str, is_paused: bool, action: str, actor: str, reason: str) -> bool:
    with transaction.atomic():
        _row(name)
        count = Queue.objects.filter(pk=name, paused=not is_paused).update(paused=is_paused)
        if count:
            audit.record(actor, action, f"queue:{name}", reason=reason)
    queues.forget()
    return bool(count)


def _row(name: str) -> Queue:
    """Return the queue's row, locked; it is made where only messages or dead letters name the queue."""
    require_known(name)
    if not Queue.objects.filter(pk=name).exists():
        Queue.objects.get_or_create(name=check_kept_name(name))
    return Queue.objects.select_for_update().get(pk=name)


def _one_at_a_time() -> None:
    """Let nobody make another queue meanwhile; claims, which only read, go on."""
    with connection.cursor() as cursor:
        cursor.execute("LOCK TABLE queues IN SHARE ROW EXCLUSIVE MODE")


def _check_free(name: str) -> None:
    if Queue.objects.filter(pk=name).exists():
        raise InvalidQueue(
            _("There is a queue {name} already. Change it, or choose another name.").format(name=quote(name))
        )
    alike = [other for other in known.names() if other != name and other.lower() == name.lower()]
    if alike:
        raise InvalidQueue(
            _(
                "There is a queue {other}, and {name} differs from it only in capitals. Use that"
                " one, or choose another name."
            ).format(other=quote(alike[0]), name=quote(name))
        )


def _check_empty_to_move(name: str) -> None:
    if holds_messages(name):
        raise InvalidQueue(
            _(
                "The queue {name} holds messages, and they would have to move: whether it is logged"
                " can only be changed while it is empty. Pause its producers, let it run empty or"
                " purge it, and try again."
            ).format(name=quote(name))
        )


def _check_empty_to_drop(name: str) -> None:
    if not holds_messages(name):
        return
    standing = queue_metrics.live_of(name)
    more = "+" if standing["capped"] else ""
    raise InvalidQueue(
        ngettext(
            "The queue {name} was not dropped, it holds {length:,}{more} message,"
            " {in_flight:,} of them in flight: {standing}",
            "The queue {name} was not dropped, it holds {length:,}{more} messages,"
            " {in_flight:,} of them in flight: {standing}",
            standing["length"],
        ).format(
            name=quote(name),
            length=standing["length"],
            more=more,
            in_flight=standing["in_flight"],
            standing=_way_out(standing),
        )
    )


def _way_out(standing: queue_metrics.Row) -> str:
    """Return what to do first. A purge leaves messages in flight until their lease is over."""
    if standing["in_flight"] < standing["length"]:
        return _("purge it first, and stop its producers.")
    return _("wait for the consumers, or stop them, and purge what they leave when its lease has run out.")


def _let_go(name: str) -> None:
    """Free messages that waited for one before them in their group: groups are only labels now."""
    while len(fetch_column(sql("queues.let_go"), {"queue": name, "limit": PAGE})) == PAGE:
        pass


def _gather(name: str) -> int:
    """Move messages that producers sent to the unlogged table before they heard of the change."""
    time.sleep(queues.SECONDS * 1.1)
    return len(fetch_column(sql("purging.gather"), {"queue": name}))
