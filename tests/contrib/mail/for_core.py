"""Parts of the report by mail in tests that look at everything: see tests/of_features.py."""

READS = [("mail_report",)]
ASKED_WRONGLY = [
    (("mail_report",), "Nobody gets it: name them by --to, or set DLQ_REPORT_MAIL_TO."),
    (("mail_report", "--to", "Ann <a@example.org>"), "--to takes one mail address."),
    (("mail_report", "--to", "a@example.org,b@example.org"), "--to takes one mail address."),
    (("mail_report", "--to", ""), "--to takes one mail address."),
    (("mail_report", "--to", "a@example.org", "--day", "soon"), "--day must be a day from 2001-01-01 to"),
]
