"""The console's own table: how many passwords may still be tried."""

from django.db import models


class SignInAllowance(models.Model):
    """Tries to sign in that were used up, by account, address or device, and until when they are back."""

    key = models.CharField(max_length=110, primary_key=True)
    spent_until = models.DateTimeField()

    class Meta:
        managed = False
        db_table = "sign_in_allowances"

    def __str__(self) -> str:
        return f"sign-in tries of {self.key}"
