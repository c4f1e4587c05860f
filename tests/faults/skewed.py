"""What an application host does whose clock is wrong: ``python -m tests.faults.skewed SECONDS`` ahead.

It prints, as JSON, what time it thinks it is and what came of everything that depends on time.
"""

import json
import sys
import time

import django
import time_machine


def main() -> None:
    """Take locks, run the schedule once, claim from a queue."""
    from django.conf import settings

    from dlqconsole.core.messages.claims import claim
    from dlqconsole.engine.database.locks import HeldLock, ShedLock, holder
    from dlqconsole.retries import run

    said = {"time": time.time(), "takes": ShedLock("held", at_most=30).acquire() is not None}
    with HeldLock("own", at_most=1) as own:
        time.sleep(1.5)
        said |= {"keeps": own.is_held, "drift": holder("own").clock_drift}
    run.run()
    said["claims"] = len(claim("chaos", 10, "skewed", 2))
    settings.DLQ_LOCK_TIME = "client"
    said["takes by client time"] = ShedLock("held", at_most=30).acquire() is not None
    said["drift by client time"] = holder("held").clock_drift
    print(json.dumps(said))


if __name__ == "__main__":
    with time_machine.travel(time.time() + float(sys.argv[1])):
        django.setup()
        main()
