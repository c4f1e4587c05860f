"""Sending a day's report: to each recipient once, and again while the mail server refuses.

A mail goes out at least once. Who moves a recipient's row in ``report_mails`` sends. If the process dies
between the server's answer and our note of it, another sends the same mail some minutes later, under the same
Message-ID.
"""

import hashlib
import hmac
import logging
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import cache
from smtplib import SMTPRecipientsRefused, SMTPResponseException

from django.conf import settings

from dlqconsole.configuration.time_of_day import TimeOfDay
from dlqconsole.contrib.mail.content import DayReport, day_report
from dlqconsole.contrib.mail.sql import sql
from dlqconsole.core.named_sql import execute, fetch_column
from dlqconsole.engine import audit, gate
from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.hosting.database import transaction
from dlqconsole.processing.reports import FAILURES
from dlqconsole.processing.texts import printable
from dlqconsole.retries.clock import database_now

log = logging.getLogger(__name__)

ACTOR = "schedule"
# DLQ_REPORT_AT is off: nobody computes reports, and this one needs no computing
_USUAL = "00:30 UTC"


class NotSent(Exception):
    """A mail was not sent: a masked sentence says why."""


def mail_time() -> str:
    """Return the time of day at which the mail goes, like ``06:00 Europe/Berlin``."""
    return _USUAL if TimeOfDay.parse(settings.DLQ_REPORT_AT) is None else settings.DLQ_REPORT_AT


def day_of_mail(now: datetime) -> date:
    """Return the day that the newest mail tells of: the last one, in UTC, that was over at its time."""
    at = TimeOfDay.parse(mail_time())
    assert at is not None  # noqa: S101 - the usual time is there
    return at.last_before(now).astimezone(UTC).date() - timedelta(days=1)


def send_due() -> int:
    """Send the newest day's report to whoever has not got it, the tick; return the number of mails."""
    if not settings.DLQ_REPORT_MAIL_TO:
        return 0
    day = day_of_mail(database_now())
    report = cache(lambda: day_report(day))
    with asking_as(EVERYTHING):
        places = range(len(settings.DLQ_REPORT_MAIL_TO))
        return sum(_send_once(place, day, report) for place in places)


def send(report: DayReport, recipient: str, actor: str, identity: str = "", tries: int = 0) -> None:
    """Send the report and note it. Raises NotSent. ``tries``: of the claim; 0 for a mail without one."""
    try:
        report.message_to(recipient, identity).send()
    except Exception as error:  # also what a project's own backend may raise
        raise NotSent(_why(error)) from error
    detail = {"day": str(report.day), "to": gate.hash_mark(recipient), "failures": report.failures}
    with transaction.atomic():
        if tries:
            execute(sql("mail.sent"), {"recipient": identity, "day": report.day, "tries": tries})
        audit.record(actor, "mail", f"report:{FAILURES}", detail=detail)


def identity_of(recipient: str) -> str:
    """Return 16 characters that stand for an address and do not tell it."""
    return hmac.digest(gate.key("mail"), recipient.encode(), hashlib.sha256).hex()[:16]


def _send_once(place: int, day: date, report: Callable[[], DayReport]) -> bool:
    """Send to the recipient at a place in DLQ_REPORT_MAIL_TO; the log names the place, not the address."""
    recipients = settings.DLQ_REPORT_MAIL_TO
    recipient = recipients[place]
    identity = identity_of(recipient)
    claimed = fetch_column(sql("mail.claim"), {"recipient": identity, "day": day})
    if not claimed:
        return False
    try:
        send(report(), recipient, ACTOR, identity, claimed[0])
    except NotSent as problem:
        log.warning(
            "the report of %s was not mailed to address %d of %d in DLQ_REPORT_MAIL_TO"
            " (try %d, more follow): %s",
            day, place + 1, len(recipients), claimed[0], problem,
        )  # fmt: skip
        return False
    return True


def _why(error: Exception) -> str:
    """Return the mail server's own words, or the line's."""
    if isinstance(error, SMTPRecipientsRefused):
        error = SMTPResponseException(*next(iter(error.recipients.values())))
    if isinstance(error, SMTPResponseException):
        words = error.smtp_error
        words = words.decode(errors="replace") if isinstance(words, bytes) else words
        text = f"the mail server answered {error.smtp_code}: {words}"
    else:
        text = f"the mail server could not be used: {str(error) or type(error).__name__}"
    return printable(gate.shown(" ".join(text.split())))
