"""Who was faster with a dead letter that somebody edits: in words that know the operations."""

from dlqconsole.engine.dead_letters.editing import Conflict
from dlqconsole.operations import kinds
from dlqconsole.people.names import named


def said(conflict: Conflict) -> str:
    """The conflict in a sentence: ``ann revived it at 12:00:00 UTC``."""
    did = {kind.name: kind.did for kind in kinds.every()}
    return named(conflict.sentence(did.get(conflict.change.action, "") if conflict.change else ""))
