"""manage.py mail_report: the report by mail, now; it says what the server answered."""

import gc

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.contrib.mail.sending import send_due
from dlqconsole.engine.models import AuditEntry
from dlqconsole.people.command_line import machine_user
from tests.contrib.mail.conftest import TEAM, YESTERDAY
from tests.contrib.mail.mail_server import MailServer, locked, make_certificate

pytestmark = pytest.mark.django_db
ME = "me@example.org"


def test_it_mails_a_day_to_whom_one_likes_and_leaves_the_daily_mail_alone(mail_server, failed, capsys):
    call_command("mail_report", "--to", ME, "--day", str(YESTERDAY.date()))
    assert capsys.readouterr().out == f"{ME}: sent. 5 failed on {YESTERDAY.date()}, 3 still open\n"
    entry = AuditEntry.objects.get(target="report:failures")
    assert (entry.actor, entry.action) == (machine_user(), "mail")
    assert send_due() == 1
    assert mail_server.recipients() == [ME, TEAM]


def test_it_says_what_the_server_answered_and_fails(mail_server, capsys):
    mail_server.refusals[TEAM] = ["550 no such mailbox"]
    with pytest.raises(CommandError, match=r"1 of 2 mails were not sent\."):
        call_command("mail_report", "--to", TEAM, "--to", ME)
    out, problems = capsys.readouterr()
    assert problems == f"{TEAM}: not sent, the mail server answered 550: no such mailbox\n"
    assert out.startswith(f"{ME}: sent.")


def test_an_account_is_told_over_an_encrypted_line_only(through, tmp_path, monkeypatch, capsys):
    certificate, server = make_certificate(tmp_path), MailServer()
    url = f"smtp+tls://dlq:{{}}@127.0.0.1:{server.port}"
    with server.serving(**locked("dlq", "p@ss", certificate)):
        through(url.format("p%40ss"))
        with pytest.raises(CommandError):
            call_command("mail_report", "--to", ME)
        assert "certificate verify failed" in capsys.readouterr().err, "nobody vouches for it"
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        call_command("mail_report", "--to", ME)
        through(url.format("hunter2"))
        with pytest.raises(CommandError):
            call_command("mail_report", "--to", ME)
        gc.collect()  # the server ends once nobody is connected
    assert server.recipients() == [ME]
    problem = capsys.readouterr().err
    assert "the mail server answered 535" in problem
    assert "hunter2" not in problem
