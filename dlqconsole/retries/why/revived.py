"""The message of a revived dead letter: its place, here or in another system, and the reason why it waits."""

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.core.lifecycle.states import MessageStatus
from dlqconsole.engine.breakers import describe
from dlqconsole.engine.models import DeadLetter, Message, Queue
from dlqconsole.engine.moments import moment
from dlqconsole.engine.queues.obstacles import blocked_by_breaker
from dlqconsole.transports.models import ForwardedMessage


def revived_words(letter: DeadLetter) -> str:
    """The place of the message in a sentence."""
    message = Message.objects.filter(dlq_event_id=letter.pk, revive_seq=letter.revive_count).first()
    queue = letter.queue or letter.event_type
    if message is None:
        return _handed_over(letter) or (
            f"It was revived onto queue {queue}, and its message is no longer there."
        )
    place = f"message {message.pk} on queue {message.queue}"
    if message.status == MessageStatus.PROCESSING:
        return f"It was revived: {place} is being handled by {message.owner}."
    if message.status == MessageStatus.HELD:
        return f"It was revived: {place} is held back until the undo window of its operation has passed."
    if message.unhandled_type and message.status in (MessageStatus.SCHEDULED, MessageStatus.PENDING):
        return f"It was revived: {place} waits for a consumer with a handler for {message.unhandled_type}."
    if message.status == MessageStatus.SCHEDULED:
        return f"It was revived: {place} is tried again at {moment(message.next_retry_at)}."
    if Queue.objects.filter(name=message.queue, paused=True).exists():
        return f"It was revived: {place} waits, the queue is paused."
    if breaker := blocked_by_breaker([message.queue]).get(message.queue):
        return f"It was revived: {place} waits: {describe(breaker)}"
    return f"It was revived: {place} waits for a consumer."


def _handed_over(letter: DeadLetter) -> str:
    """The place of its message in another system, and what ends it; empty: it is in none."""
    its = ForwardedMessage.objects.filter(dlq_event_id=letter.pk, revive_seq=letter.revive_count).first()
    if its is None:
        return ""
    place = f"It was handed over to {its.queue} at {moment(its.forwarded_at)}, as {its.remote_id} there"
    if its.is_watched:
        return f"{place}: it has succeeded once its consumers there have completed it."
    return (
        f"{place}. Nobody there says what becomes of it: it stays REVIVED until it comes back, or a person"
        f" says that it was handled ({PROGRAM} attach {its.queue} --handled)."
    )
