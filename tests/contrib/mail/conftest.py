"""A mail server, and yesterday's failures."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from dlqconsole.hosting.mail import mail_settings
from tests.contrib.mail.mail_server import MailServer

YESTERDAY = datetime.now(UTC).replace(hour=9, minute=0) - timedelta(days=1)
TEAM = "team@example.org"


def wait_is_over() -> None:
    """Let the time of the next try come."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE report_mails SET next_at = now() - interval '1 second'")


@pytest.fixture
def through(settings) -> Callable[[str], None]:
    """through("smtp://…") mails by that server."""

    def use(url: str) -> None:
        for name, value in mail_settings(url).items():
            setattr(settings, name, value)

    return use


@pytest.fixture
def mail_server(settings, through) -> Iterator[MailServer]:
    """It takes everything; the team gets the report, and the links lead to dlq.example.org."""
    settings.DLQ_REPORT_MAIL_TO, settings.DLQ_PUBLIC_URL = [TEAM], "https://dlq.example.org"
    settings.DLQ_REPORT_AT = "00:00 UTC"
    server = MailServer()
    through(f"smtp://127.0.0.1:{server.port}?from=dlq@example.org")
    with server.serving():
        yield server


@pytest.fixture
def failed(letter) -> None:
    """Two groups failed yesterday, one of them partly healed, and one on the day before."""
    for status in ("PENDING", "PENDING", "SUCCEEDED", "DISCARDED"):
        letter(
            error_reason="Lost: no account", status=status, created_at=YESTERDAY,
            first_failure_at=YESTERDAY,
        )  # fmt: skip
    letter(error_reason="Gone: away", event_type="billing.due", created_at=YESTERDAY)
    letter(error_reason="Before: that", created_at=YESTERDAY - timedelta(days=1))
