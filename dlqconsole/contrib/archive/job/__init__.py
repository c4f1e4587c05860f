"""The job that writes the archive, and what reads its files: no Django here."""

CRASH_POINTS = (
    "archive.writing",  # a part of a file is written, beside its place
    "archive.written",  # the file has its name, no row is gone
    "archive.deleting",  # rows deleted, counted and audited, not committed
    "archive.archived",  # committed, the job does not know it yet
    "archive.taking",  # a row is put back or erased, and its file written anew; not committed
    "archive.taken",  # committed, the old file still lies there
)
