"""One plain Python process, with the function that Spark's workers call: ``… plain FOLDER SHARE OF``.

It takes every piece whose number leaves SHARE when divided by OF, so that several make the whole.
"""

import sys

from dlqconsole.pipeline.ingest.reading import ingest_piece
from dlqconsole.pipeline.running.runs import record_run
from dlqconsole.pipeline.settings import read_settings
from dlqconsole.pipeline.sink.work import work_of
from dlqconsole.pipeline.sources.files import look_for_files
from dlqconsole.pipeline.sources.survey import Request


def main(folder: str, share: str, of: str) -> None:
    """Bring its share of the folder in."""
    settings = read_settings()
    pieces = [piece for file in look_for_files(folder).files for piece in Request(file).look().pieces]
    with record_run(settings, "ingest", f"{folder}, share {share} of {of}") as run:
        work = work_of(settings, run.id)
        for piece in pieces[int(share) :: int(of)]:
            ingest_piece(work, piece)
        run.finish("completed", "done")


if __name__ == "__main__":
    main(*sys.argv[1:])
