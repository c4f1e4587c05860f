"""The message of a revived dead letter: its place, here or in another system, and the reason why it waits."""

from django.utils.translation import gettext as _

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
            _("It was revived onto queue {queue}, and its message is no longer there.").format(queue=queue)
        )
    place = _("message {pk} on queue {queue}").format(pk=message.pk, queue=message.queue)
    if message.status == MessageStatus.PROCESSING:
        return _("It was revived: {place} is being handled by {owner}.").format(
            place=place, owner=message.owner
        )
    if message.status == MessageStatus.HELD:
        return _(
            "It was revived: {place} is held back until the undo window of its operation has passed."
        ).format(place=place)
    if message.unhandled_type and message.status in (MessageStatus.SCHEDULED, MessageStatus.PENDING):
        return _("It was revived: {place} waits for a consumer with a handler for {unhandled_type}.").format(
            place=place, unhandled_type=message.unhandled_type
        )
    if message.status == MessageStatus.SCHEDULED:
        return _("It was revived: {place} is tried again at {next_retry_at}.").format(
            place=place, next_retry_at=moment(message.next_retry_at)
        )
    if Queue.objects.filter(name=message.queue, paused=True).exists():
        return _("It was revived: {place} waits, the queue is paused.").format(place=place)
    if breaker := blocked_by_breaker([message.queue]).get(message.queue):
        return _("It was revived: {place} waits: {breaker}").format(place=place, breaker=describe(breaker))
    return _("It was revived: {place} waits for a consumer.").format(place=place)


def _handed_over(letter: DeadLetter) -> str:
    """The place of its message in another system, and what ends it; empty: it is in none."""
    its = ForwardedMessage.objects.filter(dlq_event_id=letter.pk, revive_seq=letter.revive_count).first()
    if its is None:
        return ""
    place = _("It was handed over to {queue} at {forwarded_at}, as {remote_id} there").format(
        queue=its.queue, forwarded_at=moment(its.forwarded_at), remote_id=its.remote_id
    )
    if its.is_watched:
        return _("{place}: it has succeeded once its consumers there have completed it.").format(place=place)
    return _(
        "{place}. Nobody there says what becomes of it: it stays REVIVED until it comes"
        " back, or a person says that it was handled ({program} attach {queue} --handled)."
    ).format(place=place, program=PROGRAM, queue=its.queue)
