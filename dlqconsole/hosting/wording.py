"""Words in the language of the person who reads a page. Whatever is kept, logged or printed stays English.

``gettext`` serves a sentence that is made while a page is answered, ``gettext_lazy`` one that is made at the
import. Code that knows no Django, and words that are kept as well as shown, are a ``Sentence``, which
``translated`` says on a page.
"""

from collections.abc import Callable
from typing import Any, cast

from django.utils import text, translation
from django.utils.functional import lazy

from dlqconsole.hosting.stored_text import SENTENCE, stored_text
from dlqconsole.processing.inputs.sentences import Sentence, sentence_of

# Django's own have a type that is no str, though they serve as one on every page
gettext_lazy = cast("Callable[[str], str]", translation.gettext_lazy)
pgettext_lazy = cast("Callable[[str, str], str]", translation.pgettext_lazy)
format_lazy = cast("Callable[..., str]", text.format_lazy)


def translated(words: object) -> str:
    """A sentence, or that of an error, in the reader's language; any other text as it is."""
    if isinstance(words, Exception):
        words = sentence_of(words)
    if not isinstance(words, Sentence):
        return str(words)
    values = {name: _value(name, value) for name, value in words.values.items()}
    pattern = translation.gettext(words.pattern)
    return pattern.format(**values) if values else pattern


def _value(name: str, value: Any) -> Any:
    if isinstance(value, Sentence):
        return translated(value)
    return stored_text(value) if name.endswith(SENTENCE) and isinstance(value, str) else value


# the same of words that a form or a page says later
translated_lazy = cast("Callable[[object], str]", lazy(translated, str))
