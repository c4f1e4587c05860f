"""The only place that knows how Spark is started and stopped here."""

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dlqconsole.pipeline.errors import BadRequest, PipelineProblem
from dlqconsole.pipeline.settings import Settings

from .environment import is_local, prepare_environment
from .java import Complaints, JavaClasses, end_java, java_may_end, known_reason

STOP_SECONDS = 10
# … and where Java writes its classes down for later starts
WRITE_SECONDS = 60
# The second is careful; the third is for what else may go wrong.
TASK_ATTEMPTS = 3


@contextmanager
def spark_context(
    settings: Settings, name: str, check_stop: Callable[[], None] = lambda: None, *, has_sql: bool = True
) -> Iterator[Any]:
    """A SparkContext for the block, whose Java process ends with it; or the one that runs already.

    Without SQL, Java does next to nothing: it hands values to Python workers.
    ``check_stop`` raises Stopped: a signal to the whole group ends Java first, and is then the reason of all
    that fails. Raises PipelineProblem where Java ended by itself.
    """
    if running := _running():
        yield running
        return
    log = _log_file(settings.data, name)
    complaints = Complaints(log)
    complaints.of_bridge()
    prepare_environment(settings)
    try:
        from pyspark import SparkContext
    except ImportError as error:
        raise BadRequest("Spark is not installed: pip install 'dlqconsole[spark]'") from error
    classes = _classes(settings, has_sql)
    context = _start(SparkContext, _configuration(settings, name, classes, has_sql), log, check_stop)
    complaints.of_counters(context._accumulatorServer)
    java = context._gateway.proc
    # after a stop or a failure nobody waits for classes that only make the next job start faster
    writes = classes is not None and classes.are_written
    seconds = 0 if writes else STOP_SECONDS
    try:
        with java_may_end(java, log, check_stop):
            yield context
        seconds = WRITE_SECONDS if writes else STOP_SECONDS
    finally:
        with suppress(Exception), _errors_into(log):
            context.stop()
        end_java(SparkContext, java, seconds)
        if classes:
            classes.keep(whole=java.returncode == 0, had_time=seconds == WRITE_SECONDS)


def _running() -> Any:
    spark = sys.modules.get("pyspark")
    return spark.SparkContext._active_spark_context if spark else None


def _start(kind: Any, configuration: Any, log: Path, check_stop: Callable[[], None]) -> Any:
    try:
        with _errors_into(log), _keep_interrupts():
            context = kind(conf=configuration)
    except Exception as error:
        check_stop()
        raise PipelineProblem(f"Spark did not start{known_reason(log)}; the reason is in {log}") from error
    return context


@contextmanager
def _keep_interrupts() -> Iterator[None]:
    """Spark takes SIGINT for itself when it starts: a job would end by KeyboardInterrupt anywhere in it."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def _classes(settings: Settings, has_sql: bool) -> JavaClasses | None:
    """Return the classes of this Java and this Spark, for jobs that use the same of both.

    None: somebody gives Java options of their own, or it has no archive that this one could add to.
    """
    import pyspark

    java = Path(os.environ["JAVA_HOME"])
    if os.environ.get("SPARK_SUBMIT_OPTS") or not (java / "lib/server/classes.jsa").exists():
        return None
    made_of = f"{java} {pyspark.__version__} {pyspark.__file__}"
    with suppress(OSError):
        made_of += (java / "release").read_text(encoding="utf-8", errors="replace")
    sort = "queries" if has_sql else "rows"
    return JavaClasses.of((settings.data / "java").absolute(), sort, made_of=made_of)


def _configuration(settings: Settings, name: str, classes: JavaClasses | None, has_sql: bool) -> Any:
    from pyspark import SparkConf

    log4j = Path(__file__).with_name("log4j2.properties")
    java = f"-Dlog4j2.configurationFile={log4j.as_uri()} -Duser.timezone=UTC"
    if classes:
        java += f" {classes.options}"
    if not has_sql:
        # without its slow compiler it starts twice as fast
        java += " -XX:TieredStopAtLevel=1"
    values = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": settings.spark_memory,
        "spark.driver.extraJavaOptions": java,
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.warehouse.dir": (settings.data / "spark-warehouse").absolute().as_uri(),
    }
    if is_local(settings):
        values |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        values |= {"spark.sql.shuffle.partitions": str(os.cpu_count() or 2)}
        # on a cluster, pyspark is what its machines have
        values |= {"spark.python.daemon.module": "dlqconsole.pipeline.running.worker_daemon"}
    configuration = SparkConf().setMaster(_master(settings)).setAppName(f"dlqconsole {name}")
    return configuration.setAll(list(values.items()))


def _master(settings: Settings) -> str:
    """A local master would give up with the first worker that a handler kills; a cluster tries again, too."""
    local = re.fullmatch(r"local(?:\[(\d+|\*)\])?", settings.spark_master)
    return f"local[{local[1] or 1},{TASK_ATTEMPTS}]" if local else settings.spark_master


def _log_file(data: Path, name: str) -> Path:
    log = data / "logs" / f"spark-{name}.log"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_bytes(b"")
    except OSError as error:
        raise BadRequest(f"cannot write {log}: {error.strerror}") from error
    return log


@contextmanager
def _errors_into(log: Path) -> Iterator[None]:
    """Spark is talkative before its logging is set up: what inherits stderr writes into a file."""
    sys.stderr.flush()
    terminal, file = os.dup(2), os.open(log, os.O_WRONLY | os.O_APPEND)
    os.dup2(file, 2)
    try:
        yield
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)
        os.close(file)
