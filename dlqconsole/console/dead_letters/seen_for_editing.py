"""A dead letter as somebody edits it: with marks in the place of personal data, until they reveal it.

A mark that is left stands for what was there, and so does one that is put elsewhere; nobody sees more than
they change.
"""

from collections.abc import Mapping

from dlqconsole.console.masking.revelations import RevealState
from dlqconsole.console.masking.texts import BROUGHT_OUT, shown_difference
from dlqconsole.engine import gate
from dlqconsole.engine.dead_letters.editing import Editable
from dlqconsole.processing import edited_headers
from dlqconsole.processing.decoded import OK, SANITISED
from dlqconsole.processing.differences import Difference, difference
from dlqconsole.processing.edited_payload import EditRefused
from dlqconsole.processing.json_text import pretty

STRANGE = (
    "{mark} stands for nothing here: leave a mark as it is, put it elsewhere as a whole, or type the value."
)


class SeenForEditing:
    """How this person sees what they edit. The marks stand for the values of ``letter``."""

    def __init__(self, seen: RevealState, letter: Editable) -> None:
        self.seen = seen
        self._marks = gate.marks() if seen.is_masked else None
        self.payload(letter)
        self.header_rows(letter)

    def payload(self, letter: Editable) -> str | None:
        """The payload to begin from, set out for reading where it is JSON; None where it is no text."""
        text = letter.shown
        if text is None:
            return None
        return self.json(text) if letter.payload.state in (OK, SANITISED) else self.text(text)

    def header_rows(self, letter: Editable) -> list[tuple[str, str, bool]]:
        """Each header's name and value, and whether nobody may change it."""
        headers = letter.headers
        return edited_headers.rows(self._marks.json(headers) if self._marks else headers)

    def json(self, text: str) -> str:
        """JSON text, set out for reading."""
        return pretty(self._marks.json(text) if self._marks else text)

    def text(self, text: str) -> str:
        """What somebody typed: mostly JSON, but not always."""
        masked = self._marks.json(text) if self._marks else text
        return pretty(masked) if text.strip().startswith(("{", "[")) else masked

    def difference(self, before: str, after: str) -> Difference:
        """What differs between two texts that went through here."""
        return shown_difference(difference(before, after))

    def put_back(self, payload: str, headers: Mapping[str, str]) -> tuple[str, dict[str, str]]:
        """What was typed, with what is behind each mark.

        Raises EditRefused for marks of something else, and where a value would not be masked any more.
        """
        if self._marks is None:
            return payload, dict(headers)
        strange = self._marks.unknown("\n".join([payload, *headers.values()]))
        if strange:
            raise EditRefused([STRANGE.format(mark=mark) for mark in strange[:5]])
        text = self._marks.put_back_json(payload)
        stored = {name: self._marks.put_back(value) for name, value in headers.items()}
        open_now = self._marks.brought_out(payload, self._marks.json(text))
        for name, value in headers.items():
            open_now += self._marks.brought_out(value, self._marks.text(stored[name]))
        if open_now:
            marks = list(dict.fromkeys(open_now))[:5]
            raise EditRefused([BROUGHT_OUT.format(mark=mark, otherwise="reveal it first") for mark in marks])
        return text, stored
