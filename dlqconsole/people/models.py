"""Who has had which role, and which name, since when. Triggers of Django's own tables write both."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from dlqconsole.engine.models._checks import readable

ROLES = ("viewer", "operator", "admin", "superuser")


class RoleGrant(models.Model):
    """From when until when a person had a role: an account that is switched off has none."""

    user_id = models.IntegerField(db_comment="stays when the account is deleted; no other account gets it")
    role = models.CharField(max_length=16)
    since = models.DateTimeField(db_default=Now())
    until = models.DateTimeField(null=True, db_default=None, db_comment="NULL: the person has it now")

    class Meta:
        db_table = "role_grants"
        db_table_comment = (
            "From when until when a person had a role: an account that is switched off has none."
        )
        constraints = [
            models.CheckConstraint(condition=Q(role__in=ROLES), name="role_grants_role"),
            models.CheckConstraint(condition=readable("since", "until"), name="role_grants_moments"),
            models.UniqueConstraint(
                fields=["user_id", "role"], condition=Q(until__isnull=True), name="role_grants_now"
            ),
        ]

    def __str__(self) -> str:
        return f"user:{self.user_id} is {self.role} since {self.since}"


class AccountName(models.Model):
    """From when until when an account had a name: the audit log knows people by their numbers."""

    user_id = models.IntegerField()
    name = models.TextField()
    since = models.DateTimeField(db_default=Now())
    until = models.DateTimeField(null=True, db_default=None, db_comment="NULL: it is called so now")

    class Meta:
        db_table = "account_names"
        db_table_comment = (
            "From when until when an account had a name: the audit log knows people by their numbers."
        )
        constraints = [
            models.CheckConstraint(condition=readable("since", "until"), name="account_names_moments"),
            models.UniqueConstraint(
                fields=["user_id"], condition=Q(until__isnull=True), name="account_names_now"
            ),
        ]

    def __str__(self) -> str:
        return f"user:{self.user_id} is called {self.name}"
