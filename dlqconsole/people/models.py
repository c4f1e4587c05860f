"""The history of roles and names, personal tokens, and limits of view.

Triggers of Django's own tables write the first two.
"""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

# a name, the beginning of one with a star behind it, or a star
PATTERN = r"^([^*]+\*?|\*)$"


class RoleGrant(models.Model):
    """From when until when a person had a role: an account that is switched off has none."""

    user_id = models.IntegerField()
    role = models.CharField(max_length=16)
    since = models.DateTimeField(db_default=Now())
    until = models.DateTimeField(null=True, db_default=None)

    class Meta:
        managed = False
        db_table = "role_grants"

    def __str__(self) -> str:
        return f"user:{self.user_id} is {self.role} since {self.since}"


class AccountName(models.Model):
    """From when until when an account had a name: the audit log knows people by their numbers."""

    user_id = models.IntegerField()
    name = models.TextField()
    since = models.DateTimeField(db_default=Now())
    until = models.DateTimeField(null=True, db_default=None)

    class Meta:
        managed = False
        db_table = "account_names"

    def __str__(self) -> str:
        return f"user:{self.user_id} is called {self.name}"


class PersonalToken(models.Model):
    """A person's proof of identity, for one scope (``tokens.SCOPE``). Only a hash of the token is stored."""

    user_id = models.IntegerField()
    label = models.CharField(max_length=100)
    prefix = models.CharField(max_length=16)
    sha256 = models.CharField(max_length=64, unique=True)
    made_by = models.TextField()
    scope = models.CharField(max_length=16, db_default="person")
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, db_default=None)
    revoked_at = models.DateTimeField(null=True, db_default=None)
    revoked_by = models.TextField(db_default="")

    class Meta:
        managed = False
        db_table = "personal_tokens"

    def __str__(self) -> str:
        return f"{self.prefix}… of user:{self.user_id}"

    @property
    def is_own(self) -> bool:
        """Tell whether the person made it signed in, and typed the password once more."""
        return self.made_by == self.whose

    @property
    def whose(self) -> str:
        """The actor."""
        return f"user:{self.user_id}"


class Scope(models.Model):
    """A limit of view of a person, or of each member of a group. A person without one sees everything."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        # a trigger takes it along: a project that deletes its accounts knows nothing of this table
        models.DO_NOTHING,
        null=True,
        blank=True,
        db_default=None,
        related_name="dlq_scopes",
        # as elsewhere here: no table of ours needs one of Django's
        db_constraint=False,
    )
    group = models.ForeignKey(
        "auth.Group",
        models.DO_NOTHING,
        null=True,
        blank=True,
        db_default=None,
        related_name="dlq_scopes",
        db_constraint=False,
    )
    queue = models.CharField(max_length=256, default="*", db_default="*")
    event_type = models.CharField(max_length=256, default="*", db_default="*")

    class Meta:
        managed = False
        db_table = "scopes"

    def __str__(self) -> str:
        return f"{self.event_type} on {self.queue}"
