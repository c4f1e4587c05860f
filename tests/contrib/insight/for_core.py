"""Parts of insight in tests that look at everything: see tests/of_features.py."""

from tests.console.access.answers import READ, ROW
from tests.security.set_in_motion import Answer

ADDRESSES = {
    "drift": READ,
    "differs": READ,
    "common_ground": ROW,
    "first_dominoes": ROW,
    "nearest_success": ROW,
}
ARGUMENTS = {"common_ground": [9], "first_dominoes": [9], "nearest_success": [9]}
PAGES = (
    "/drift/", "/differs/?since=24h&until=1h", "/groups/{group}/common-ground/",
    "/groups/{group}/first-dominoes/",
    "/dead-letters/{letter}/nearest-success/",
)  # fmt: skip
READS = [("samples",), ("samples", "list")]
# written by a role of the database
VALUES = {"success_samples.payload_raw": ("NULL",)}
ANSWERS = {
    ("pipeline", "success_samples", "INSERT"): Answer(
        "event_type source source_key payload payload_raw masked was_dead_letter by_rate stands_for"
    ),
}
WRITTEN = ("success_samples",)
# commands that ask why, and commands that are typed wrongly, with the beginning of the answer
CHANGES = [("samples", "erase", "--type", "a")]
ASKED_WRONGLY = [(CHANGES[0], 'Say why: samples erase … --because "the reason"')]
