"""``make bench``: queue, operations, console and schedule against their peers, in one run on one server."""

import argparse
import json
import signal
import sys
from dataclasses import replace
from pathlib import Path

from dlqconsole.system.errors import RuntimeProblem
from tools.temporary_folders import check_room, remove_forsaken

from .crew import Crew
from .report import Report
from .sections import (
    backlog,
    console,
    drain,
    enqueue,
    exports,
    handlers,
    operations,
    pipeline,
    producers,
    schedule,
    wakeups,
)
from .server import FOLDERS, Server
from .sizes import QUICK, WHOLE, Size

SECTIONS = {
    ("Q1", "Q2"): enqueue,
    ("Q4", "Q5", "Q6"): drain,
    ("Q7", "Q8"): backlog,
    ("Q9",): wakeups,
    ("Q10",): producers,
    ("Q11",): handlers,
    ("O1", "O2"): operations,
    ("C1", "C2", "C3", "C4"): console,
    ("E1",): exports,
    ("S1", "S2"): schedule,
    ("P1", "P2", "P3", "P4"): pipeline,
}
NAMES = [name for names in SECTIONS for name in names]


def main() -> int:
    """Measure, print, and exit with 0 even for misses: this is a measurement, not a test."""
    options = parse()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    report = Report("quick" if options.quick else "whole")
    remove_forsaken(FOLDERS)
    try:
        check_room()
        size = QUICK if options.quick else WHOLE
        if number := options.letters:
            size = replace(size, letters=number, exported=number)
        run(size, options.only, report)
    except RuntimeProblem as problem:
        print(problem, file=sys.stderr)
        return problem.exit_status
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    print(f"\n{report.summary()}")
    if options.json:
        options.json.write_text(json.dumps(report.as_json(), indent=1) + "\n")
    return 0


def run(size: Size, only: list[str], report: Report) -> None:
    """The sections that were asked for, on a server of their own."""
    server = Server(durable=size.durable)
    try:
        server.start()
        with Crew(server, "bench", size) as crew:
            for names, section in SECTIONS.items():
                if set(names) & set(only):
                    section.measure(crew, report)
    finally:
        # what stops a stop would leave processes behind
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        server.stop()
        signal.signal(signal.SIGINT, signal.default_int_handler)


def parse() -> argparse.Namespace:
    """The options of ARGS."""
    parser = argparse.ArgumentParser(prog='make bench ARGS="..."', description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller counts, about 6 minutes")
    parser.add_argument("--only", type=goal_names, default=NAMES, help="some goals, as in Q4,Q9")
    parser.add_argument(
        "--letters", type=int, metavar="N", help="dead letters of O and C; ten million take 40 GB"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure to a file, too")
    return parser.parse_args()


def goal_names(text: str) -> list[str]:
    """Names of goals, or a sentence that says which there are."""
    wanted = [name.strip().upper() for name in text.split(",")]
    if not set(wanted) <= set(NAMES):
        raise argparse.ArgumentTypeError(f"the goals are {', '.join(NAMES)}, not {text}")
    return wanted


if __name__ == "__main__":
    sys.exit(main())
