"""The message of a revived dead letter: its place, and the reason why it waits."""

from dlqconsole.core.lifecycle.states import MessageStatus
from dlqconsole.engine.breakers import describe
from dlqconsole.engine.models import DeadLetter, Message, Queue
from dlqconsole.engine.queues.blocked_by_breaker import blocked_by_breaker
from dlqconsole.retries.policies import words


def revived_words(letter: DeadLetter) -> str:
    """The place of the message in a sentence."""
    message = Message.objects.filter(dlq_event_id=letter.pk, revive_seq=letter.revive_count).first()
    queue = letter.queue or letter.event_type
    if message is None:
        return f"It was revived onto queue {queue}, and its message is no longer there."
    place = f"message {message.pk} on queue {message.queue}"
    if message.status == MessageStatus.PROCESSING:
        return f"It was revived: {place} is being handled by {message.owner}."
    if message.status == MessageStatus.HELD:
        return f"It was revived: {place} is held back until the undo window of its operation has passed."
    if message.unhandled_type and message.status in (MessageStatus.SCHEDULED, MessageStatus.PENDING):
        return f"It was revived: {place} waits for a consumer with a handler for {message.unhandled_type}."
    if message.status == MessageStatus.SCHEDULED:
        return f"It was revived: {place} is tried again at {words.moment(message.next_retry_at)}."
    if Queue.objects.filter(name=message.queue, paused=True).exists():
        return f"It was revived: {place} waits, the queue is paused."
    if breaker := blocked_by_breaker([message.queue]).get(message.queue):
        return f"It was revived: {place} waits: {describe(breaker)}"
    return f"It was revived: {place} waits for a consumer."
