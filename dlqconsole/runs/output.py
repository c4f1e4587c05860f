"""The output of a run's process: a file that only it and its starter know. The end of it is stored."""

import os
import re
import tempfile

from dlqconsole.configuration.settings import SECRETS
from dlqconsole.processing.texts import sanitise_text, visible

KEPT_BYTES = 64 * 1024
# a longer file is begun anew: a watcher may print for months
LONGEST_FILE = 1024 * 1024
HIDDEN = "‹hidden›"
# shorter ones would hide words that have nothing to do with them
_SHORTEST_SECRET = 6
_PASSWORD = re.compile(r"(?<=://)([^\s/:@]*):([^\s/@]+)(?=@)")
_KEY_WORDS = re.compile(
    r"(?i)\b(password|passwd|pwd|secret|token|api_?key)(\s*[=:]\s*)('[^']*'|\"[^\"]*\"|\S+)"
)


class Output:
    """A file without a name: it vanishes with the last process that has it open."""

    def __init__(self) -> None:
        self.file = tempfile.TemporaryFile("ab+")  # noqa: SIM115  (as long as the run)
        self._last_text = ""

    def tail(self) -> str:
        """The end of the output, fit to be stored and shown."""
        size = os.fstat(self.file.fileno()).st_size
        content = os.pread(self.file.fileno(), KEPT_BYTES, max(size - KEPT_BYTES, 0))
        if size > LONGEST_FILE:
            # the process appends at the new end; output that comes between the two calls is lost
            self.file.truncate(0)
            self.file.write(content)
            self.file.flush()
        return clean(content.decode(errors="replace"))

    def news(self) -> str | None:
        """The end of the output if it has changed since the last call; else None."""
        text = self.tail()
        if text == self._last_text:
            return None
        self._last_text = text
        return text

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def clean(text: str) -> str:
    """Remove secrets, hidden characters and terminal colours from a text; cut it to KEPT_BYTES."""
    text = sanitise_text(text, KEPT_BYTES)
    for secret in _secrets():
        text = text.replace(secret, HIDDEN)
    text = _PASSWORD.sub(rf"\1:{HIDDEN}", text)
    return visible(_KEY_WORDS.sub(rf"\1\2{HIDDEN}", text))


def last_line(text: str) -> str:
    """The last line that is not blank, most often the reason; empty where there is none."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def _secrets() -> list[str]:
    """The values of this process's own secret settings, longest first."""
    values = {os.environ.get(name, "") for name in SECRETS}
    return sorted((value for value in values if len(value) >= _SHORTEST_SECRET), key=len, reverse=True)
