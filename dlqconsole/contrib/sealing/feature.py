"""The declaration of sealing: the places where it plugs in."""

from dlqconsole.features import Feature, Right, Tick
from dlqconsole.processing.inputs.sentences import Sentence

_HERE = "dlqconsole.contrib.sealing"

FEATURE = Feature(
    name="sealing",
    cards={"audit": f"{_HERE}.pages.on_audit"},
    audit_subject=(Sentence("The log itself"), ("audit",)),
    audit_words=f"{_HERE}.pages.WORDS",
    ticks=(
        Tick("seal the audit log", "sealing.seal", f"{_HERE}.seals.seal", 10.0),
        Tick("verify the audit log", "sealing.verify", f"{_HERE}.checks.check", 86_400.0, is_quick=False),
    ),
    rights={"app": (Right("SELECT, INSERT", "audit_seals"),)},
    metrics=f"{_HERE}.pages.metrics",
)
