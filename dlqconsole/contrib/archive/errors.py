"""The errors of the archive: one sentence for people each."""

from dlqconsole.core.errors import EngineError


class ArchiveRefused(EngineError):
    """The archive cannot restore or erase: the sentence names the file, the cause and what to do."""
