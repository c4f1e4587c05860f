"""The queues that exist: those with a row, with messages, or with dead letters."""

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.core.errors import InvalidQueue, UnknownQueue
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import Queue, QueueActivity
from dlqconsole.engine.queues.blocked_by_breaker import blocked_by_breaker
from dlqconsole.engine.queues.policy import check_new_name, quote
from dlqconsole.engine.sql import sql
from dlqconsole.processing.inputs.plain_text import is_storable


def require_known(name: str) -> None:
    """Raise UnknownQueue unless there is a queue of that name."""
    if not is_known(name):
        raise unknown_queue(name)


def unknown_queue(name: str) -> UnknownQueue:
    """Return the refusal where there is no queue of that name, or none within the scope."""
    return UnknownQueue(
        f"There is no queue {quote(name)}. `{PROGRAM} queues` lists those there are;"
        f" `{PROGRAM} queues create` or the first message makes one."
    )


def is_known(name: str) -> bool:
    """Tell whether anything of a queue exists: its row, messages, consumers' traces, dead letters."""
    if not _storable(name):
        return False
    return (
        Queue.objects.filter(pk=name).exists()
        or holds_messages(name)
        or QueueActivity.objects.filter(queue=name).exists()
        or _holds_dead_letters(name)
        or name in blocked_by_breaker([name])
    )


def check_usable_name(name: str) -> str:
    """Return the name, if a queue may have it, or if there is one already. Raises InvalidQueue.

    The database is asked only about a name that no new queue may have: plain SQL may have put messages there.
    """
    try:
        return check_new_name(name)
    except InvalidQueue:
        if not is_known(name):
            raise
    return name


def holds_messages(name: str) -> bool:
    """Tell whether there is any message on the queue, in flight included."""
    return bool(fetch_column(sql("purging.any"), {"queue": name})[0])


def _holds_dead_letters(name: str) -> bool:
    # whoever asks: a queue's name is taken, or it is not
    with asking_as(EVERYTHING):
        return DeadLetterFilter(queue=name).queryset().exists()


def _storable(name: str) -> bool:
    return bool(name) and len(name) <= 255 and is_storable(name)
