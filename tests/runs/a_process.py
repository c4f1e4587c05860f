"""A process of a run that does nothing but live: it takes its row up, beats, and listens as every job does.

``python -m tests.runs.a_process ID [deaf] [mute]``: deaf hears no SIGTERM and no cancel; mute ends at once.
"""

import os
import signal
import sys
import time
from dataclasses import replace

from dlqconsole.pipeline.running.jobs import StopSignal
from dlqconsole.pipeline.running.runs import record_run
from dlqconsole.pipeline.settings import read_settings


def main(run_id: int, *moods: str) -> None:
    stop = StopSignal()
    settings = replace(read_settings(), adopted_run=run_id)
    with stop.listening(), record_run(settings, "ingest", "a test") as run:
        if "deaf" in moods:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if "mute" in moods:
            os._exit(3)
        print(f"working with {settings.database_url}", flush=True)
        while True:
            if "deaf" not in moods:
                stop.check()
                run.beat()
            time.sleep(0.1)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
