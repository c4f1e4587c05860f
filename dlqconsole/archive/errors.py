"""What cannot be done with the archive, said in one sentence."""


class ArchiveRefused(Exception):
    """The archive cannot give, take back or erase it: which file, why, what to do."""
