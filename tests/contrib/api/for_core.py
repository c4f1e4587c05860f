"""Parts of the API in tests that look at everything: see tests/of_features.py."""

from tests.console.access.answers import OPEN

# no session is looked at: whoever comes with a cookie alone is nobody
ONLY_TOKENS = (401,) * 5
NOTHING = (404,) * 5
ADDRESSES = {
    "api_failures": (405,) * 5,
    "api_recoveries": (405,) * 5,
    "api_openapi": OPEN,
    "api_nothing": NOTHING,
}
ARGUMENTS = {"api_nothing": ["elsewhere"]}
POSTS = {"api_failures": ONLY_TOKENS, "api_recoveries": ONLY_TOKENS, "api_nothing": NOTHING}
