"""The console's pages, asked for in a process of its own: `python -m tests.pooler.browsing`."""

import json

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402  (Django first)
from django.db import OperationalError, connection, transaction  # noqa: E402
from django.test import Client  # noqa: E402

from dlqconsole.engine.database import sessions  # noqa: E402
from dlqconsole.engine.models import DeadLetter  # noqa: E402

PAGES = (
    "",
    "dead-letters/",
    "groups/",
    "operations/",
    "queues/",
    "schedules/",
    "reports/",
    "runs/",
    "audit/",
)


def status(client: Client, page: str) -> int:
    answer = client.get(f"/{page}")
    return answer.status_code if b"".join(answer) else 0


def limits() -> list[str]:
    """In a transaction of one statement, and of several."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        alone = cursor.fetchone()[0]
        with transaction.atomic():
            cursor.execute("SHOW lock_timeout")
            return [alone, cursor.fetchone()[0]]


def cut_off(in_transaction: bool) -> str:
    """How a statement ends that takes longer than it may."""
    sessions.LIMITS["statement_timeout"] = "100ms"
    connection.close()
    try:
        with transaction.atomic() if in_transaction else connection.cursor(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(20)")
    except OperationalError as error:
        return str(error).splitlines()[0]
    return "it ran to its end"


client = Client(HTTP_HOST="localhost")
client.force_login(User.objects.get(username="admin"), "dlqconsole.console.access.backend.ThrottledBackend")
pages = {page: status(client, page) for page in (*PAGES, "metrics", "readyz")}
found = {
    "pages": pages,
    "limits": limits(),
    "streamed": len(list(DeadLetter.objects.iterator(chunk_size=1))),
    "cut off": [cut_off(False), cut_off(True)],
}
print(json.dumps(found))
