"""The words for an edit conflict: who changed the dead letter first, by which operation."""

from dlqconsole.engine.dead_letters.editing import Conflict
from dlqconsole.operations import kinds
from dlqconsole.people.names import named


def conflict_sentence(conflict: Conflict) -> str:
    """The conflict in a sentence: ``ann revived it at 12:00:00 UTC``."""
    did = {kind.name: kind.did for kind in kinds.every()}
    return named(conflict.sentence(did.get(conflict.change.action, "") if conflict.change else ""))
