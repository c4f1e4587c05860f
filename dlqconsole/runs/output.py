"""What a run's process prints: a file that only its starter and it know, of which the end is kept."""

import os
import re
import tempfile

from dlqconsole.configuration.settings import SECRETS
from dlqconsole.processing.hidden_characters import visible
from dlqconsole.processing.texts import sanitise_text

KEPT_BYTES = 64 * 1024
# what is longer is begun anew: a watcher may print for months
LONGEST_FILE = 1024 * 1024
HIDDEN = "‹hidden›"
# shorter ones would hide words that have nothing to do with them
_SHORTEST_SECRET = 6
_PASSWORD = re.compile(r"(?<=://)([^\s/:@]*):([^\s/@]+)(?=@)")
_KEY_WORDS = re.compile(
    r"(?i)\b(password|passwd|pwd|secret|token|api_?key)(\s*[=:]\s*)('[^']*'|\"[^\"]*\"|\S+)"
)


class Output:
    """A file without a name: it goes with the last process that has it open."""

    def __init__(self) -> None:
        self.file = tempfile.TemporaryFile("ab+")  # noqa: SIM115  (as long as the run)
        self._told = ""

    def tail(self) -> str:
        """The end of what was printed, fit to be stored and shown."""
        size = os.fstat(self.file.fileno()).st_size
        content = os.pread(self.file.fileno(), KEPT_BYTES, max(size - KEPT_BYTES, 0))
        if size > LONGEST_FILE:
            # who appends goes on at the new end; what comes just now between the two is lost
            self.file.truncate(0)
            self.file.write(content)
            self.file.flush()
        return cleaned(content.decode(errors="replace"))

    def news(self) -> str | None:
        """The same, when it is another than the last time; else None."""
        text = self.tail()
        if text == self._told:
            return None
        self._told = text
        return text

    def close(self) -> None:
        """Let it go."""
        self.file.close()


def cleaned(text: str) -> str:
    """Text without secrets, hidden characters and terminal colours, at most as long as what is kept."""
    text = sanitise_text(text, KEPT_BYTES)
    for secret in _secrets():
        text = text.replace(secret, HIDDEN)
    text = _PASSWORD.sub(rf"\1:{HIDDEN}", text)
    return visible(_KEY_WORDS.sub(rf"\1\2{HIDDEN}", text))


def last_line(text: str) -> str:
    """What it says in the end, most often the reason; empty where it said nothing."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def _secrets() -> list[str]:
    """The values of this process's own secret settings, longest first."""
    given = {os.environ.get(name, "") for name in SECRETS}
    return sorted((value for value in given if len(value) >= _SHORTEST_SECRET), key=len, reverse=True)
