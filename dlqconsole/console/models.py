"""The console's own table: sign-ins that failed, for the throttle."""

from django.db import models
from django.db.models.functions import Now


class FailedSignIn(models.Model):
    """One wrong password."""

    account = models.CharField(max_length=150)
    address = models.GenericIPAddressField(null=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "failed_sign_ins"
        db_table_comment = "One wrong password."
        indexes = [models.Index(fields=["account", "at"], name="failed_sign_ins_account")]

    def __str__(self) -> str:
        return f"failed sign-in of {self.account}"
