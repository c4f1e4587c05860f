"""Parts of the API in tests that look at everything: see tests/of_features.py."""

from tests.console.access.answers import OPEN

# no session is looked at: whoever comes with a cookie alone is nobody
ONLY_TOKENS = (401,) * 5
ADDRESSES = {"api_failures": (405,) * 5, "api_recoveries": (405,) * 5, "api_openapi": OPEN}
POSTS = {"api_failures": ONLY_TOKENS, "api_recoveries": ONLY_TOKENS}
