"""Compare a report's files with the manifest beside them."""

from pathlib import Path

from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.processing.texts import printable

from . import manifest


def verify(folder: str) -> int:
    """Print a line for each report of a folder, or for each file that is not as it was written. The status.

    The folder is a report's, or the one that holds all of them. Raises BadRequest where no manifest is.
    """
    reports = _reports(Path(folder))
    wrong = sum(_verify(report) for report in reports)
    if wrong:
        raise PipelineProblem(
            f"{wrong:,} {'thing is' if wrong == 1 else 'things are'} not as the manifest says"
        )
    return 0


def _reports(folder: Path) -> list[Path]:
    within = sorted(file.parent for file in folder.glob(f"[!.]*/{manifest.NAME}"))
    return [folder] if (folder / manifest.NAME).exists() or not within else within


def _verify(folder: Path) -> int:
    whole = manifest.read(folder)
    problems = list(manifest.problems(folder))
    for problem in problems:
        print(printable(f"{folder.name}: {problem}"))
    if not problems:
        print(
            printable(
                f"{folder.name}: {len(whole['files']):,} files, {whole['rows']:,} rows: as they were written"
            )
        )
    return len(problems)
