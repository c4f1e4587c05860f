"""The errors of the archive: one sentence for people each."""


class ArchiveRefused(Exception):
    """The archive cannot restore or erase: the sentence names the file, the cause and what to do."""
