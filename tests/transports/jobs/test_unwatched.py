"""Failed jobs on queues that nobody attached."""

from dlqconsole.transports import attachments, unwatched
from dlqconsole.transports.models import DeadLetterLook


def test_failed_jobs_on_another_queue_are_told_until_it_is_attached(workers, attached):
    workers.fill(3)
    column = "queue_name" if workers.prefix == "procrastinate" else "entrypoint"
    workers.run(f"UPDATE {workers.jobs} SET {column} = 'mail' RETURNING 1")
    assert unwatched.look() == 1
    assert DeadLetterLook.objects.get().problem == ""
    [place] = unwatched.unwatched()
    assert (place.name, place.messages) == (attached.name.replace("billing", "mail"), 3)
    attachments.attach(place.name, actor="test")
    assert unwatched.unwatched() == []
