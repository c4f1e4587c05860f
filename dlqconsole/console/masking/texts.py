"""Texts as a person may see them: with personal data masked, or as they are."""

from dataclasses import replace

from django.conf import settings

from dlqconsole.engine import gate
from dlqconsole.engine.gate import Shown, masker
from dlqconsole.engine.groups.classification import Factor
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.processing.differences import TextDifference
from dlqconsole.processing.exact_json import pretty
from dlqconsole.processing.masking import Masker

# bytes that are no text and contain personal data
HIDDEN = _("‹{size:,} bytes that hold personal data and are no text›")
# the error of an edit around a mask; ``otherwise`` names what else the person can do
BROUGHT_OUT = _(
    "{mark} cannot stand there: what is around it would let everybody read what is"
    " behind it. Leave it as it was, or {otherwise}."
)


class ShownTexts:
    """Masks texts that go to a person; without a masker all stay as they are, for they were revealed."""

    def __init__(self, masker: Masker | None) -> None:
        self._masker = masker

    def text(self, text: str | None) -> Shown:
        """Free text."""
        return Shown(self._masker.text(text) if self._masker and text else text or "")

    def cut(self, text: str | None, limit: int) -> Shown:
        """Free text that the database cut at ``limit`` characters: a value cut in half is removed, too."""
        return Shown(text or "") if self._masker is None else gate.cut(text or "", limit)

    def beginning_of(self, text: str | None, limit: int) -> Shown:
        """The beginning of a free text of which the database gave some more."""
        return Shown((text or "")[:limit]) if self._masker is None else gate.beginning(text or "", limit)

    def parts(self, parts: list[Factor]) -> list[Factor]:
        """The masked reasons why something is in its group."""
        return [
            replace(part, sentence=self.text(part.sentence), detail=self.text(part.detail)) for part in parts
        ]

    def json(self, text: str) -> Shown:
        """JSON text; its numbers and its layout stay as they are."""
        return Shown(self._masker.json(text) if self._masker and text else text)

    def beginning(self, text: str, limit: int = 0) -> Shown:
        """The beginning of JSON text, cut somewhere; at ``limit`` characters, unless that is 0."""
        if not self._masker or not text:
            return Shown(text)
        json_text = self._masker.json_beginning(text)
        was_cut = limit and len(text) >= limit
        return Shown(json_text[: max(len(json_text) - gate.MARGIN, 0)] + "…" if was_cut else json_text)

    def pretty(self, text: str, limit: int = 0) -> Shown:
        """JSON text, or its beginning, set out for reading."""
        return Shown(pretty(self.beginning(text, limit)))

    def content(self, content: bytes) -> bytes:
        """Mask bytes, perhaps text. Text between zeros or in a one-byte encoding is recognised, too."""
        if not self._masker or not content:
            return content
        try:
            text = content.decode()
        except UnicodeDecodeError:
            as_text = content.replace(b"\0", b"").decode("latin-1")
            is_harmless = self._masker.text(as_text) == as_text
            return content if is_harmless else HIDDEN.format(size=len(content)).encode()
        json_text = self._masker.json_beginning(text)
        without_zeros = text.replace("\0", "")
        if json_text == text and self._masker.text(without_zeros) != without_zeros:
            return HIDDEN.format(size=len(content)).encode()
        return json_text.encode("utf-8", "surrogatepass")


def shown_difference(difference: TextDifference) -> TextDifference:
    """The difference between two texts that are masked already."""
    return replace(difference, lines=[replace(line, text=Shown(line.text)) for line in difference.lines])


def masked_texts() -> ShownTexts:
    """A masker for lists, where nothing is revealed."""
    return ShownTexts(masker() if settings.DLQ_MASKING else None)
