"""Keys and tokens of well-known services, by what each service writes in front of them."""

import re

# in front of it stands no part of a word; in quoted JSON that may be the letter of an escape
_FORMS = (
    r"(?:[sp]k|rk)_(?:live|test)_[A-Za-z0-9]{8,}"  # Stripe
    r"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}"  # GitHub, GitLab
    r"|xox[abeoprs]-[\w-]{8,}"  # Slack
    r"|AIza[\w-]{30,}"  # Google
    r"|sk-[A-Za-z0-9_-]{20,}"  # OpenAI, Anthropic
)
SECRET = re.compile(rf"(?<![A-Za-z0-9_])(?:{_FORMS})")
_ANYWHERE = re.compile(_FORMS)
_BEGINNINGS = ("_live_", "_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox",
               "AIza", "sk-")  # fmt: skip


def may_hold_secret(text: str) -> bool:
    """A quick look: False where there certainly is none."""
    return any(beginning in text for beginning in _BEGINNINGS) and _ANYWHERE.search(text) is not None
