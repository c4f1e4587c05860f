"""Keys and tokens of well-known services, by what each service writes in front of them."""

import re

# in front of it stands no part of a word; in quoted JSON that may be the letter of an escape
_FORMS = (
    r"(?:[sp]k|rk)_(?:live|test)_[A-Za-z0-9]{8,}"  # Stripe
    r"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}"  # GitHub, GitLab
    r"|xox[abeoprs]-[\w-]{8,}"  # Slack
    # our own; a role's name ("dlq_producer_orders") is all small letters
    r"|dlq_(?=[a-z_-]{0,60}[A-Z0-9])[\w-]{40,}"
    r"|npm_[A-Za-z0-9]{30,}"
    r"|(?<=[?&;]sig=)[\w%+/=.-]{20,}"  # Azure
    r"|hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{8,}"
    r"|AIza[\w-]{30,}"  # Google
    r"|sk-[A-Za-z0-9_-]{20,}"  # OpenAI, Anthropic
)
SECRET = re.compile(rf"(?<![A-Za-z0-9_])(?:{_FORMS})")
_ANYWHERE = re.compile(_FORMS)
# by a character that each of them has, for most texts lack it
_BEGINNINGS = {
    "_": ("_live_", "_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "dlq_", "npm_"),
    "-": ("glpat-", "sk-"),
    "x": ("xox",),
    "A": ("AIza",),
    "=": ("sig=",),
    "/": ("hooks.slack",),
}


def may_hold_secret(text: str) -> bool:
    """A quick look: False where there certainly is none."""
    for character, beginnings in _BEGINNINGS.items():
        if character in text and any(beginning in text for beginning in beginnings):
            return _ANYWHERE.search(text) is not None
    return False
