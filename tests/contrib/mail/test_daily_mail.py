"""The report of yesterday comes by mail: once to each recipient, and again while the server refuses."""

import csv
import io
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from dlqconsole.celery import app
from dlqconsole.contrib.mail.models import ReportMail
from dlqconsole.contrib.mail.sending import send_due
from dlqconsole.engine.models import AuditEntry
from tests.contrib.mail.conftest import TEAM, YESTERDAY, wait_is_over
from tests.contrib.mail.mail_server import part

pytestmark = pytest.mark.django_db
DAY = YESTERDAY.date()
OF_DAY = f"?from={DAY}&to={DAY}"


@pytest.mark.nobody_asks
def test_the_tick_mails_yesterday_and_the_database_says_who_got_it(mail_server, failed):
    app.loader.import_default_modules()
    app.tasks["mail.report"]()
    (mail,) = mail_server.mails
    assert (mail["From"], mail["To"], mail["X-Recipients"]) == ("dlq@example.org", TEAM, TEAM)
    assert mail["Subject"] == f"5 failed on {DAY}, 3 still open"
    (entry,) = AuditEntry.objects.filter(target="report:failures")
    assert (entry.actor, entry.action) == ("schedule", "mail")
    assert (entry.detail["day"], entry.detail["failures"]) == (str(DAY), 5)
    assert TEAM not in str(entry.detail)


def test_its_figures_and_its_file_are_those_of_the_page(mail_server, failed, viewer):
    send_due()
    page = viewer.get(f"/reports/failures/{OF_DAY}").content.decode()
    totals = re.findall(r'<span class="value">(\d+)</span>', page)
    assert totals == ["5", "1", "1", "3"]
    (mail,) = mail_server.mails
    failures, healed, discarded, still_open = totals
    line = f"{DAY}: {failures} failed, {healed} healed, {discarded} discarded, {still_open} open"
    assert line in part(mail, "text/plain")
    assert "4 failed (80.0\u00a0%), 1 healed, 1 discarded, 2 open" in part(mail, "text/plain")
    cells = re.findall(r'<td align="right">(\d+)</td>', part(mail, "text/html"))
    assert cells[-28:][:4] == totals, "the first of seven days with four figures each"
    export = viewer.get(f"/reports/failures/export.csv{OF_DAY}").content.decode()
    of_mail, of_page = (list(csv.reader(io.StringIO(text))) for text in (part(mail, "text/csv"), export))
    assert of_mail == of_page
    assert len(of_mail) == 3


def test_it_is_masked_and_leads_to_the_console(mail_server, letter):
    letter(event_type="sync.jane.doe@example.org", error_reason="a: b", created_at=YESTERDAY)
    send_due()
    (mail,) = mail_server.mails
    for kind in ("text/plain", "text/html", "text/csv"):
        assert "‹email›" in part(mail, kind), kind
        assert "jane.doe" not in part(mail, kind), kind
    assert f"https://dlq.example.org/reports/failures/{OF_DAY}" in part(mail, "text/plain")
    assert re.search(r'<a href="https://dlq.example.org/groups/\d+/">', part(mail, "text/html"))


def test_what_came_from_outside_makes_no_header_no_line_and_no_tag(mail_server, letter):
    evil = "x\r\nBcc: evil@example.org\r\n\r\n<script>alert(1)</script>"
    letter(event_type=evil, error_reason=evil, created_at=YESTERDAY)
    assert send_due() == 1
    (mail,) = mail_server.mails
    assert mail_server.recipients() == [TEAM]
    assert (mail["Bcc"], mail["Subject"]) == (None, f"1 failed on {DAY}, 1 still open")
    assert "\nBcc" not in part(mail, "text/plain")
    assert "<script>" not in part(mail, "text/html")


def test_a_day_without_failures_says_so(mail_server):
    send_due()
    (mail,) = mail_server.mails
    assert mail["Subject"] == f"Nothing failed on {DAY}"


def test_each_recipient_gets_a_day_once(mail_server, settings):
    assert [send_due(), send_due()] == [1, 0]
    settings.DLQ_REPORT_MAIL_TO = [TEAM, "lead@example.org"]
    assert [send_due(), send_due()] == [1, 0]
    assert mail_server.recipients() == ["lead@example.org", TEAM]
    ReportMail.objects.update(day=DAY.replace(year=2020))
    assert send_due() == 2


def test_without_recipients_there_is_no_mail(mail_server, settings):
    settings.DLQ_REPORT_MAIL_TO = []
    assert send_due() == 0


def test_without_a_time_for_reports_the_mail_comes_at_the_usual_one(mail_server, settings):
    settings.DLQ_REPORT_AT = "off"
    assert send_due() == 1


@pytest.mark.django_db(transaction=True)
def test_two_schedules_at_once_send_one(mail_server):
    both = threading.Barrier(2)

    def schedule(_number: int) -> int:
        try:
            connection.ensure_connection()
            both.wait(20)
            return send_due()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(schedule, range(2))) == [0, 1]
    assert mail_server.recipients() == [TEAM]


def test_what_the_server_refuses_is_sent_later(mail_server, caplog):
    mail_server.refusals[TEAM] = ["451 come back later, team@example.org"]
    assert send_due() == 0
    assert "the mail server answered 451: come back later, ‹email›" in caplog.text
    assert not AuditEntry.objects.filter(action="mail").exists()
    assert send_due() == 0, "it waits first"
    wait_is_over()
    assert send_due() == 1
    assert mail_server.recipients() == [TEAM]
    assert AuditEntry.objects.filter(action="mail").count() == 1


def test_one_that_is_refused_is_logged_by_its_place_and_keeps_nothing_from_the_others(
    mail_server, settings, caplog
):
    settings.DLQ_REPORT_MAIL_TO = ["gone@example.org", TEAM]
    mail_server.refusals["gone@example.org"] = ["550 no such mailbox"]
    assert send_due() == 1
    assert mail_server.recipients() == [TEAM]
    (line,) = [each.getMessage() for each in caplog.records if each.name.startswith("dlqconsole.")]
    assert "not mailed to address 1 of 2 in DLQ_REPORT_MAIL_TO (try 1" in line
    assert "gone@" not in line


def test_a_server_that_is_away_is_said_and_asked_again(mail_server, through, caplog):
    through("smtp://127.0.0.1:1")
    assert send_due() == 0
    assert "the mail server could not be used: [Errno 111] Connection refused" in caplog.text
    through(f"smtp://127.0.0.1:{mail_server.port}")
    wait_is_over()
    assert send_due() == 1


def test_the_page_says_who_gets_it_and_only_to_administrators_by_address(
    mail_server, viewer, admin_user_client
):
    def said(client) -> str:
        return " ".join(client.get("/reports/failures/").content.decode().split())

    assert "Each day at 00:00 UTC by mail to 1 address." in said(viewer)
    assert TEAM not in said(viewer)
    assert f"by mail to {TEAM}." in said(admin_user_client)
    mail_server.refusals[TEAM] = ["451 later"] * 2
    send_due()
    wait_is_over()
    send_due()
    assert f"has not taken that of {DAY} yet" in said(viewer)
