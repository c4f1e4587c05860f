"""The Python of Spark's workers: the driver's own, or another of the same version by PYSPARK_PYTHON."""

import os
import subprocess
import sys
from shutil import which

from dlqconsole.pipeline.errors import BadRequest

_ASK = "import sys; print('%d.%d' % sys.version_info[:2])"


def worker_python(*, is_local: bool) -> str:
    """The program. Raises BadRequest, with both versions, where PYSPARK_PYTHON is another than this one.

    On a cluster its path is one of the workers' machines, and may not be here: then nobody can look.
    """
    other = os.environ.get("PYSPARK_PYTHON", "").strip()
    if not other or os.path.realpath(other) == os.path.realpath(sys.executable):
        # otherwise workers run whichever python3 is first on PATH
        return sys.executable
    if which(other) is None and not is_local:
        return other
    ours, theirs = "{}.{}".format(*sys.version_info[:2]), _version(other)
    if theirs != ours:
        is_what = f"is Python {theirs}" if theirs else "does not run"
        raise BadRequest(f"PYSPARK_PYTHON is {other}, which {is_what}; this is Python {ours}: name the same")
    return other


def _version(program: str) -> str:
    try:
        answer = subprocess.run([program, "-c", _ASK], capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.strip()
