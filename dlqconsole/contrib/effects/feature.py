"""The declaration of the ledger of effects: the places where it plugs in."""

from dlqconsole.features import Feature, Right, Tick
from dlqconsole.processing.inputs.sentences import Sentence

_HERE = "dlqconsole.contrib.effects"
_FUNCTIONS = ("effect_begin", "effect_done", "effect_not_done")

FEATURE = Feature(
    name="effects",
    cards={"confirm": f"{_HERE}.pages.on_confirm", "receipt": f"{_HERE}.pages.on_receipt"},
    audit_subject=(Sentence("Effects"), ("effect",)),
    ticks=(Tick("forget old effects", "effects.forget", f"{_HERE}.ledger.forget", 86_400.0, is_quick=False),),
    forgetting=(
        "DELETE FROM event_effects x USING purged p"
        " WHERE x.source = p.source AND x.source_key = p.source_key",
    ),
    rights={"reader": (Right("SELECT", "event_effects", ("name", "begun_at", "done_at", "told_by")),)},
    functions={"reporter": _FUNCTIONS, "consumer": _FUNCTIONS},
)
