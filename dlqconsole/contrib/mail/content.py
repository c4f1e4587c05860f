"""The mail of a day: the figures of the page *What failed, when and why*, masked as on the page."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from typing import Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.http import QueryDict
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from dlqconsole.console.rendering import text_of
from dlqconsole.console.reports import what_failed
from dlqconsole.engine.gate import shown
from dlqconsole.hosting.languages import spoken
from dlqconsole.processing.reports import FAILURES
from dlqconsole.processing.texts import visible_line
from dlqconsole.reports import failures, row_files

WEEK = timedelta(days=6)

type Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DayReport:
    """A day's report, ready to be sent. ``rows``: all of them, as CSV; the texts have the largest hundred."""

    day: date
    failures: int
    subject: str
    text: str
    html: str
    rows: bytes

    def message_to(self, recipient: str, identity: str = "") -> EmailMultiAlternatives:
        """Make the mail. ``identity``: mails with the same one are the same mail, should it come twice."""
        headers = {"Auto-Submitted": "auto-generated"}
        if identity:
            headers["Message-ID"] = f"<{self.day}.{identity}@dlqconsole>"
        message = EmailMultiAlternatives(self.subject, self.text, to=[recipient], headers=headers)
        message.attach_alternative(self.html, "text/html")
        message.attach(f"what-failed-{self.day}.csv", self.rows, "text/csv")
        return message


def day_report(day: date) -> DayReport:
    """Make the report of a day from what who asks may see, in the project's language."""
    with translation.override(settings.LANGUAGE_CODE), translation.override(spoken()):
        form, days, failed = what_failed.read(QueryDict(f"from={day - WEEK}&to={day}"))
        rows = [row for row in failed.rows if row.day == day]
        context = what_failed.contents(form, days, failed, rows) | {
            "day": day,
            "week": _week(day, failed.rows),
            "rest": "",
            "origin": settings.DLQ_PUBLIC_URL,
            "page_url": f"{reverse('dlq:report', args=[FAILURES])}?from={day}&to={day}",
        }
        subject = context["subject"] = _subject(day, context["totals"])
        if context["count"] > context["page_to"]:
            context["rest"] = _("The attached file has all {number:,} lines.").format(number=context["count"])
        text = "\n".join(visible_line(shown(line)) for line in _lines(context))
        html = text_of("mail/report.html", context)
    file = row_files.content(form.report, failures.with_recoveries(rows, failed.kept), "csv")
    return DayReport(day, context["totals"]["failures"], subject, text, html, file)


def _week(day: date, rows: Any) -> list[Row]:
    """The sums of each of seven days, newest first; a day without failures too."""
    of_day = {its_day: what_failed.totals(part) for its_day, part in groupby(rows, key=lambda row: row.day)}
    days = [day - timedelta(days=back) for back in range(WEEK.days + 1)]
    return [{"day": each, "totals": of_day.get(each) or what_failed.totals([])} for each in days]


def _subject(day: date, totals: Row) -> str:
    """Numbers alone: nothing that came from outside stands in a header."""
    if not totals["failures"]:
        return _("Nothing failed on {day}").format(day=day)
    return _("{failures:,} failed on {day}, {still_open:,} still open").format(day=day, **totals)


def _lines(context: Row) -> Iterator[str]:
    """The mail as plain text, line by line."""
    yield context["subject"]
    if context["is_least"]:
        yield _("(≈: there are more, counting took too long)")
    for of_day in context["of_days"]:
        if of_day["notes"]:
            yield of_day["notes"]
        yield from (text for line in of_day["lines"] for text in _line(line))
    if context["rest"]:
        yield context["rest"]
    yield ""
    for each in context["week"]:
        yield _day_line(each)
    if context["origin"]:
        yield ""
        yield context["origin"] + context["page_url"]


def _line(line: Row) -> Iterator[str]:
    yield ""
    yield line["title"]
    yield " · ".join(text for text in (line["key"]["event_type"], line["key"]["category"]) if text)
    yield _(
        "{failures} failed ({share_of_failures}), {healed} healed, {discarded} discarded, {still_open} open"
    ).format(**line["figures"])
    if line["ways"]:
        yield f"{_('Healed')}: {', '.join(line['ways'])}"


def _day_line(each: Row) -> str:
    return _(
        "{day}: {failures:,} failed, {healed:,} healed, {discarded:,} discarded, {still_open:,} open"
    ).format(day=each["day"], **each["totals"])
