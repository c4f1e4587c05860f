"""The rows of the database that is kept for later versions: a bit of all that must survive an upgrade.

python -m tests.upgrades.rows
"""

import django

if __name__ == "__main__":
    django.setup()

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection

from dlqconsole.core import messages
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.queues import changes as queues
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests import controls
from dlqconsole.operations.work import run
from tests.accounts import person
from tests.asking import ask_for
from tests.moving import bring_to
from tests.plain_sql import execute

ADD = """
INSERT INTO dlq_events (event_type, source, source_key, payload, error_reason)
VALUES (%s, 'shop', %s, '{"id": 1}', 'TimeoutError: the shop did not answer') RETURNING id
"""


def write() -> None:
    """Write them into the database of DATABASE_URL, which is migrated."""
    User.objects.create_superuser("ann", password="a-long-enough-one")
    oscar = person("oscar")
    queues.create("kept", actor=oscar, reason="new", retention="archive")
    _messages()
    for status in DeadLetterStatus:
        _dead_letters(status)
    _operations(oscar)


def _messages() -> None:
    """One that waits, one for later, one that a consumer holds, one in the archive, one that failed."""
    messages.send("orders", '{"do": "wait"}')
    messages.send("orders", '{"do": "wait"}', delay=10**9)
    for _ in range(2):
        messages.send("kept", '{"order": 7}')
        [claim] = messages.claim("kept", 1, "a consumer", 10**9)
    execute("SELECT queue_complete(%s, %s)", [claim.id], claim.lease_token)
    messages.send("order.created", '{"do": "business"}')
    call_command("consume", "order.created", until_empty=True)


def _dead_letters(status: DeadLetterStatus) -> None:
    with connection.cursor() as cursor:
        for number in range(3):
            cursor.execute(ADD, [f"order.{status.lower()}", f"{status}-{number}"])
    if status == DeadLetterStatus.REVIVED:
        execute("SELECT dead_letter_revive(id) FROM dlq_events WHERE event_type = 'order.revived'")
        return
    bring_to(status, DeadLetter.objects.filter(event_type=f"order.{status.lower()}"))


def _operations(actor: str) -> None:
    """One that is done and may be undone, one that is half done, one that nobody has begun."""
    ids = [*DeadLetter.objects.filter(status="PENDING").order_by("pk").values_list("pk", flat=True)]
    done = ask_for("discard", ids=ids[:1], actor=actor)
    run.run(done.pk)
    half = ask_for("discard", ids=ids[1:3], actor=actor, rate=1)
    run.run(half.pk, 0.5)
    controls.pause(half.pk, actor)
    # the test that goes on with it need not wait for a minute
    Operation.objects.filter(pk=half.pk).update(rate=None)
    ask_for("retry", ids=ids[3:], actor=actor)


if __name__ == "__main__":
    with asking_as(EVERYTHING):
        write()
