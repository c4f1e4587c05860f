"""People of a test as the tables name them."""

from django.contrib.auth.models import Group, User

from dlqconsole.people import tokens

# what the page of an account posts where nobody is limited
NO_SCOPES = {"scopes-TOTAL_FORMS": "0", "scopes-INITIAL_FORMS": "0"}


def actor_of(name: str) -> str:
    """``user:7`` for the account of that name; a number that nobody has where there is none."""
    return f"user:{User.objects.filter(username=name).values_list('pk', flat=True).first() or 999_999_999}"


# somebody whom no table of accounts knows
ALICE = "user:100000001"


def person(name: str, role: str = "operator") -> str:
    """An account with that role, made where there is none, as the tables name it."""
    user, _made = User.objects.get_or_create(username=name)
    user.groups.add(Group.objects.get(name=role))
    return f"user:{user.pk}"


def token_of(actor: str, *, made_by: str = "", days: int = 1) -> str:
    """A personal token that this person made; or somebody else for them."""
    return tokens.make(int(actor.removeprefix("user:")), "a test", days, made_by or actor)[1]
