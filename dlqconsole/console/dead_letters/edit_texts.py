"""A dead letter's texts in an edit form: with masks in place of personal data, until they are revealed.

A mask stands for its value, also at another place in the text; nobody sees more than they change.
"""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from dlqconsole.console.masking.revelations import RevealState
from dlqconsole.console.masking.texts import BROUGHT_OUT, shown_difference
from dlqconsole.core.settings import limits
from dlqconsole.engine import gate
from dlqconsole.engine.dead_letters.editing import Editable
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.processing import edits
from dlqconsole.processing.differences import TextDifference, difference
from dlqconsole.processing.edits import EditRefused
from dlqconsole.processing.exact_json import pretty
from dlqconsole.processing.strict_json import OK, SANITISED

STRANGE = gettext_lazy(
    "{mark} stands for nothing here: leave a mark as it is, put it elsewhere as a whole, or type the value."
)


class EditTexts:
    """The texts as this person edits them. The masks stand for the values of ``letter``."""

    def __init__(self, reveal: RevealState, letter: Editable) -> None:
        self.reveal_state = reveal
        self._marks = gate.marks() if reveal.is_masked else None
        self.payload(letter)
        self.header_rows(letter)

    def payload(self, letter: Editable) -> str | None:
        """The payload to begin from, set out for reading if it is JSON; None if it is no text."""
        text = letter.shown
        if text is None:
            return None
        return self.json(text) if letter.payload.state in (OK, SANITISED) else self.text(text)

    def header_rows(self, letter: Editable) -> list[tuple[str, str, bool]]:
        """Each header's name and value, and whether it is read-only."""
        headers = letter.headers
        return edits.rows(self._marks.json(headers) if self._marks else headers)

    def json(self, text: str) -> str:
        """JSON text, set out for reading."""
        return pretty(self._marks.json(text) if self._marks else text)

    def text(self, text: str) -> str:
        """A typed text: mostly JSON, but not always."""
        shown_text = self._marks.json(text) if self._marks else text
        return pretty(shown_text) if text.strip().startswith(("{", "[")) else shown_text

    def difference(self, before: str, after: str) -> TextDifference:
        """The difference between two texts of this object."""
        return shown_difference(difference(before, after))

    def put_back(self, payload: str, headers: Mapping[str, str]) -> tuple[str, dict[str, str]]:
        """The typed texts, with the values behind the masks.

        Raises EditRefused for masks of other values, and if a value would not be masked any more. What is
        no JSON is refused as it was typed: its line and column are those that the person sees.
        """
        if self._marks is None:
            return payload, dict(headers)
        edits.read_exactly(payload, limits())
        strange = self._marks.unknown("\n".join([payload, *headers.values()]))
        if strange:
            raise EditRefused([STRANGE.format(mark=mark) for mark in strange[:5]])
        text = self._marks.put_back_json(payload)
        plain_headers = {name: self._marks.put_back(value) for name, value in headers.items()}
        revealing = self._marks.exposed_marks(payload, self._marks.json(text))
        for name, value in headers.items():
            revealing += self._marks.exposed_marks(value, self._marks.text(plain_headers[name]))
        if revealing:
            marks = list(dict.fromkeys(revealing))[:5]
            raise EditRefused(
                [BROUGHT_OUT.format(mark=mark, otherwise=_("reveal it first")) for mark in marks]
            )
        return text, plain_headers
