"""Python reads this when it starts, where this folder is on its path.

Spark plans each reading and writing by a data source in processes that no setting of ours reaches. Nine of
them start for the tests' session: with pyspark as it is installed each takes a quarter of the processor time.
"""

import sys

from dlqconsole.pipeline.running.worker_daemon import without_archives

sys.path[:] = without_archives(sys.path)
