"""manage.py mail_report: send a day's report by mail now, say to see whether the settings are right."""

from collections.abc import Sequence
from datetime import UTC, date
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError, InterfaceError

from dlqconsole.configuration import checks
from dlqconsole.contrib.mail.content import day_report
from dlqconsole.contrib.mail.sending import NotSent, day_of_mail, send
from dlqconsole.engine.database.error_line import refused
from dlqconsole.engine.gate import GatedCommand, Shown
from dlqconsole.people.command_line import add_token_option, caller
from dlqconsole.people.tokens import TokenRefused
from dlqconsole.processing.inputs.times import as_day
from dlqconsole.processing.texts import printable
from dlqconsole.retries.clock import database_now

_FIRST = date(2001, 1, 1)


class Command(GatedCommand):
    help = "Send a day's report by mail now. The daily mail goes at its time all the same."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--day", metavar="YYYY-MM-DD", help="the day, in UTC; else the last that is over")
        parser.add_argument(
            "--to", action="append", metavar="ADDRESS", help="who gets it; else DLQ_REPORT_MAIL_TO"
        )
        add_token_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            who = caller(options, "operator", "mail_report")
            who.check_unlimited("The report tells of everything")
            recipients = _addresses(options["to"] or []) or settings.DLQ_REPORT_MAIL_TO
            if not recipients:
                raise ValueError("Nobody gets it: name them by --to, or set DLQ_REPORT_MAIL_TO")
            day = _day(options["day"])
        except (TokenRefused, ValueError) as problem:
            raise CommandError(printable(f"{problem}".rstrip(".") + "."), returncode=2) from problem
        except (DatabaseError, InterfaceError) as error:
            raise refused(error) from error
        self._send(day, recipients, who.actor)

    def _send(self, day: date, recipients: Sequence[str], actor: str) -> None:
        """Send to each recipient and say what came of it; exit with 1 where a mail was not sent."""
        report, unsent = day_report(day), 0
        for recipient in recipients:
            try:
                send(report, recipient, actor)
            except NotSent as problem:
                unsent += 1
                self.stderr.write(Shown(f"{recipient}: not sent, {problem}"))
            else:
                self.stdout.write(Shown(f"{recipient}: sent. {report.subject}"))
        if unsent:
            raise CommandError(f"{unsent} of {len(recipients)} mails were not sent.")


def _addresses(texts: Sequence[str]) -> Sequence[str]:
    """Accept the addresses of the option, and name none that is wrong: the output masks them."""
    if not all(map(checks.is_mail_address, texts)):
        raise ValueError("--to takes one mail address")
    return texts


def _day(text: str | None) -> date:
    """Return the day of the option: the last that is over by default, and not before the first report."""
    newest = database_now().astimezone(UTC).date()
    day = day_of_mail(database_now()) if text is None else as_day(text)
    if day is None or not _FIRST <= day <= newest:
        raise ValueError(f"--day must be a day from {_FIRST} to {newest}")
    return day
