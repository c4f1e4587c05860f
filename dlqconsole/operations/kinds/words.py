"""The options of an operation as sentences, safe against errors in a kind's own code."""

import logging
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.engine.dead_letters.editing import Conflict
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.people.names import named

log = logging.getLogger(__name__)

NO_WORDS = gettext_lazy("its options could not be put into words")


def option_words(kind: Kind, options: Mapping[str, Any]) -> list[str]:
    """Return the kind's sentences. Raises OperationRefused where its code cannot make them."""
    try:
        return [str(sentence) for sentence in kind.words(options)]
    except Exception as error:
        log.exception("the words of a kind of operation, %s, could not be made", kind.name)
        cause = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise OperationRefused(
            _("{title} cannot be asked for: {no_words} ({cause}).").format(
                title=kind.title, no_words=NO_WORDS, cause=cause
            )
        ) from error


def shown_words(kind: Kind, options: Mapping[str, Any]) -> list[str]:
    """Return the kind's sentences for a page, which must not break if its code cannot make them."""
    try:
        return option_words(kind, options)
    except OperationRefused:
        return [str(NO_WORDS)]


def conflict_sentence(conflict: Conflict) -> str:
    """The conflict in a sentence: ``ann revived it at 12:00:00 UTC``."""
    did = {kind.name: kind.did for kind in kinds.every()}
    return named(conflict.sentence(did.get(conflict.change.action, "") if conflict.change else ""))
