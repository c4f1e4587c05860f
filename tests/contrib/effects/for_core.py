"""Parts of the ledger of effects in tests that look at everything: see tests/of_features.py."""

from tests.security.set_in_motion import Answer

_BEGIN = "SELECT effect_begin('charge', '1', 'shop', '1')"

READS = [("effects",), ("effects", "list")]
CHANGES = [("effects", "done", "charge", "1"), ("effects", "not-done", "charge", "1")]
ASKED_WRONGLY = [(CHANGES[0], 'Say why: effects done … --because "the reason"')]
ANSWERS = {
    (role, name, "EXECUTE"): Answer(moves="event_effects", calls=calls)
    for role in ("reporter", "consumer")
    for name, calls in {
        "effect_begin": (_BEGIN,),
        "effect_done": (_BEGIN, "SELECT effect_done('charge', '1')"),
        "effect_not_done": (_BEGIN, "SELECT effect_not_done('charge', '1')"),
    }.items()
}
