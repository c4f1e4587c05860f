"""The parts that the mail adds to other pages: a line of the report, and the words of the audit log."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from dlqconsole.console.access.permissions import role_of
from dlqconsole.console.audit.subjects import Words, number
from dlqconsole.contrib.mail.models import ReportMail
from dlqconsole.contrib.mail.sending import day_of_mail, identity_of, mail_time
from dlqconsole.engine.gate import Shown
from dlqconsole.features import Card
from dlqconsole.people.roles import may
from dlqconsole.retries.clock import database_now


def on_report(request: HttpRequest) -> Card | None:
    """Who gets the report by mail, for administrators by address, and whether the newest one went out."""
    recipients = settings.DLQ_REPORT_MAIL_TO
    if not recipients:
        return None
    day = day_of_mail(database_now())
    identities = [identity_of(recipient) for recipient in recipients]
    refused = ReportMail.objects.filter(recipient__in=identities, day=day, sent_at=None, tries__gt=1)
    context = {
        "at": mail_time(),
        "addresses": Shown(", ".join(recipients)) if may(role_of(request), "admin") else "",
        "number": len(recipients),
        "day": day,
        "refused": refused.count(),
    }
    return Card("mail/line.html", context)


def _mail(detail: Mapping[str, Any]) -> str:
    return _("mailed to {to}: {day}, {failures} failures").format(
        to=detail.get("to", ""), day=detail.get("day", ""), failures=number(detail.get("failures", 0))
    )


WORDS: dict[str, Words] = {"report": {"mail": _mail}}
