"""Texts as somebody may see them: with personal data masked, or as they are."""

from dataclasses import replace

from django.conf import settings

from dlqconsole.engine.groups.classification import Part
from dlqconsole.operations.export_rows import masker
from dlqconsole.processing.masking import Masker

# bytes that are no text and hold something personal
HIDDEN = "‹{size:,} bytes that hold personal data and are no text›"


class ShownTexts:
    """Masks what goes to a person; without a masker everything stays."""

    def __init__(self, masker: Masker | None) -> None:
        self._masker = masker

    def text(self, text: str | None) -> str:
        """Free text."""
        return self._masker.text(text) if self._masker and text else text or ""

    def parts(self, parts: list[Part]) -> list[Part]:
        """Why something is in its group."""
        return [
            replace(part, sentence=self.text(part.sentence), detail=self.text(part.detail)) for part in parts
        ]

    def json(self, text: str) -> str:
        """JSON text; its numbers and its layout stay as they are."""
        return self._masker.json(text) if self._masker and text else text

    def beginning(self, text: str) -> str:
        """The beginning of JSON text, cut somewhere."""
        return self._masker.json_beginning(text) if self._masker and text else text

    def content(self, content: bytes) -> bytes:
        """Bytes, perhaps text. What is text between zeros or in a one-byte encoding is found, too."""
        if not self._masker or not content:
            return content
        try:
            text = content.decode()
        except UnicodeDecodeError:
            as_text = content.replace(b"\0", b"").decode("latin-1")
            is_harmless = self._masker.text(as_text) == as_text
            return content if is_harmless else HIDDEN.format(size=len(content)).encode()
        masked = self._masker.json_beginning(text)
        without_zeros = text.replace("\0", "")
        if masked == text and self._masker.text(without_zeros) != without_zeros:
            return HIDDEN.format(size=len(content)).encode()
        return masked.encode("utf-8", "surrogatepass")


def masked_texts() -> ShownTexts:
    """For lists, where nothing is revealed."""
    return ShownTexts(masker() if settings.DLQ_MASKING else None)
