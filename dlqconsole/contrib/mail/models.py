"""The last mail to each recipient."""

from django.db import models


class ReportMail(models.Model):
    """The report of a day for a recipient: sent, or to be tried again from ``next_at`` on."""

    recipient = models.TextField(primary_key=True)
    day = models.DateField()
    tries = models.IntegerField()
    next_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, db_default=None)

    class Meta:
        managed = False
        db_table = "report_mails"

    def __str__(self) -> str:
        return f"{self.day} to {self.recipient}"
