"""The console's own tables: how many passwords may still be tried, and saved views."""

from django.db import models
from django.db.models.functions import Now


class SignInAllowance(models.Model):
    """Tries to sign in that were used up, by account, address or device, and until when they are back."""

    key = models.CharField(max_length=110, primary_key=True)
    spent_until = models.DateTimeField()

    class Meta:
        managed = False
        db_table = "sign_in_allowances"

    def __str__(self) -> str:
        return f"sign-in tries of {self.key}"


class SavedView(models.Model):
    """A filter, an order, columns and a grouping that a person named, for oneself or for everybody."""

    user_id = models.BigIntegerField()
    name = models.CharField(max_length=80)
    filter = models.TextField()
    sort = models.CharField(max_length=40, db_default="")
    columns = models.CharField(max_length=200, db_default="")
    grouping = models.CharField(max_length=40, db_default="")
    is_shared = models.BooleanField(db_default=False)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        managed = False
        db_table = "saved_views"

    def __str__(self) -> str:
        return self.name
