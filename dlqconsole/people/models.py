"""Who has had which role, and which name, since when; the tokens that people prove themselves with; and what
each is limited to.

Triggers of Django's own tables write the first two.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from dlqconsole.engine.models._checks import readable

# a name, the beginning of one with a star behind it, or a star
PATTERN = r"^([^*]+\*?|\*)$"
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


class PersonalToken(models.Model):
    """What a person proves who they are with on the command line; of the token only a hash is kept."""

    user_id = models.IntegerField(db_comment="whose it is; a token of an account that is gone proves nothing")
    label = models.CharField(max_length=100)
    prefix = models.CharField(max_length=16, db_comment="how it begins, to know it by")
    sha256 = models.CharField(max_length=64, unique=True)
    made_by = models.TextField(db_comment="the person, signed in; or cli:…, and then it approves nothing")
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, db_default=None)
    revoked_at = models.DateTimeField(null=True, db_default=None)
    revoked_by = models.TextField(db_default="")

    class Meta:
        db_table = "personal_tokens"
        db_table_comment = (
            "What a person proves who they are with on the command line; of the token only a hash is kept."
        )
        constraints = [
            models.CheckConstraint(condition=Q(sha256__regex="^[0-9a-f]{64}$"), name="personal_tokens_hash"),
            models.CheckConstraint(
                condition=readable("created_at", "expires_at", "last_used_at", "revoked_at"),
                name="personal_tokens_moments",
            ),
        ]
        indexes = [models.Index(fields=["user_id"], name="personal_tokens_user")]

    def __str__(self) -> str:
        return f"{self.prefix}… of user:{self.user_id}"

    @property
    def is_own(self) -> bool:
        """Whether the person made it, signed in and with the password typed once more."""
        return self.made_by == self.whose

    @property
    def whose(self) -> str:
        """The actor."""
        return f"user:{self.user_id}"


class Scope(models.Model):
    """What a person, or each member of a group, is limited to; who has none of these is not limited."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        null=True,
        blank=True,
        db_default=None,
        related_name="scopes",
        # as elsewhere here: no table of ours needs one of Django's
        db_constraint=False,
    )
    group = models.ForeignKey(
        "auth.Group",
        models.CASCADE,
        null=True,
        blank=True,
        db_default=None,
        related_name="scopes",
        db_constraint=False,
    )
    queue = models.CharField(
        max_length=256,
        default="*",
        db_default="*",
        db_comment="a name, the beginning of one with * behind it, or * for all",
    )
    event_type = models.CharField(
        max_length=256, default="*", db_default="*", db_comment="the same of event types"
    )

    class Meta:
        db_table = "scopes"
        db_table_comment = (
            "What a person, or each member of a group, is limited to; who has none of these is not limited."
        )
        constraints = [
            models.CheckConstraint(
                condition=Q(user__isnull=False, group__isnull=True)
                | Q(user__isnull=True, group__isnull=False),
                name="scopes_of_somebody",
            ),
            models.CheckConstraint(
                condition=Q(queue__regex=PATTERN, event_type__regex=PATTERN), name="scopes_patterns"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_type} on {self.queue}"
