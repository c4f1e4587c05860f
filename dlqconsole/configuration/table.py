"""Every setting that a person may set in the environment. The README's table is written from this one."""

from .bearer_token import check_bearer_token
from .database_url import EXAMPLE as DATABASE_EXAMPLE
from .database_url import check_database_url
from .kafka_properties import check_properties
from .kafka_servers import check_kafka_servers
from .mysql_address import MysqlAddress
from .redis_url import check_redis_url
from .secret_key import check_secret
from .setting import Number, Reader, Row, Switch, Text, Words
from .spark_master import check_spark_master
from .time_of_day import TimeOfDay
from .trusted_proxies import TrustedProxies
from .web_addresses import check_host, check_origin

DAY = 86_400
MEBIBYTE = 1024 * 1024

WORK = frozenset({Reader.DJANGO, Reader.PIPELINE})
SPARK = frozenset({Reader.PIPELINE})
DEMO = frozenset({Reader.DEMO})


SERVERS: tuple[Row, ...] = (
    Text(
        name="DATABASE_URL",
        meaning="PostgreSQL 15 or newer, `postgres://…`",
        check=check_database_url,
        readers=WORK | DEMO,
        secret=True,
        example=DATABASE_EXAMPLE,
    ),
    Text(
        name="DLQ_DIRECT_DATABASE_URL",
        meaning="PostgreSQL's own address where `DATABASE_URL` is a pooler's: for consumers, `migrate` and"
        " the pipeline: [docs/scaling.md](docs/scaling.md#pgbouncer)",
        check=check_database_url,
        shown_default="`DATABASE_URL`",
        readers=WORK,
        secret=True,
    ),
    Number(
        name="DLQ_DATABASE_POOL",
        meaning="connections that the threads of one web process share; 0: one each",
        default=0,
        low=0,
        high=1_000,
    ),
    Text(
        name="REDIS_URL",
        meaning="Redis or Valkey: wake-ups only",
        default="redis://127.0.0.1:6379/0",
        check=check_redis_url,
        readers=frozenset({Reader.DJANGO, Reader.DEMO}),
        secret=True,
    ),
    Text(
        name="DLQ_MYSQL_URL",
        meaning="MySQL or MariaDB with queues to attach: [docs/queue-mysql.md](docs/queue-mysql.md)",
        check=MysqlAddress.from_url,
        shown_default="none",
        secret=True,
    ),
    Text(
        name="DLQ_KAFKA_SERVERS",
        meaning="brokers of the Kafka whose topics are attached, comma separated:"
        " [docs/queue-kafka.md](docs/queue-kafka.md)",
        check=check_kafka_servers,
        shown_default="none",
    ),
    Text(
        name="DLQ_KAFKA_CONFIG",
        meaning="a properties file for Kafka's clients: `security.protocol` and the like",
        check=check_properties,
        shown_default="none",
        readers=WORK,
    ),
)

WEB: tuple[Row, ...] = (
    Text(
        name="SECRET_KEY",
        meaning="Django's secret: 32 random characters or more, the same for all processes",
        check=check_secret,
        secret=True,
        example="a long random text",
    ),
    Words(
        name="ALLOWED_HOSTS",
        meaning="host names the console answers to, comma separated; others than these need HTTPS",
        default=("localhost", "127.0.0.1", "[::1]"),
        check=check_host,
    ),
    Words(
        name="CSRF_TRUSTED_ORIGINS",
        meaning="origins of a proxy in front, as in `https://dlq.example.org`, comma separated",
        check=check_origin,
    ),
    Switch(
        name="DLQ_HTTPS",
        meaning="secure cookies, redirect to HTTPS, HSTS; false with loopback hosts only",
        default=True,
    ),
    Switch(
        name="DLQ_BEHIND_PROXY",
        meaning="trust `X-Forwarded-Proto` of the proxy in front",
        default=False,
    ),
    Text(
        name="DLQ_TRUSTED_PROXIES",
        meaning="how many proxies stand in front, or their networks, comma separated: only theirs is the"
        " `X-Forwarded-For` that says where somebody signs in from",
        check=TrustedProxies.parse,
        shown_default="none",
    ),
    Number(
        name="DLQ_IDLE_MINUTES",
        meaning="who did nothing for so long is signed out; after 12 hours everybody is",
        default=30,
        low=1,
        high=720,
        unit="minutes",
    ),
    Text(
        name="DLQ_METRICS_TOKEN",
        meaning="`/metrics` answers `Authorization: Bearer …` with this too, not only signed-in people",
        check=check_bearer_token,
        shown_default="none",
        secret=True,
    ),
    Words(
        name="DLQ_AUDIT_KEY",
        meaning="seals the audit log, old ones behind the new: [docs/security.md](docs/security.md)",
        shown_default="made of `SECRET_KEY`",
        check=check_secret,
        checks_first_only=True,
        secret=True,
    ),
    Text(
        name="DLQ_STATIC_ROOT",
        meaning="where `collectstatic` puts the files that a browser loads",
        shown_default="`./staticfiles`",
    ),
    Switch(
        name="DEBUG",
        meaning="Django's error pages, which show code and settings: with loopback hosts only",
        default=False,
    ),
    Text(
        name="LOG_LEVEL",
        meaning="the least level that is logged",
        default="INFO",
        choices=("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", "NOTSET", "WARN", "FATAL"),
    ),
    Text(
        name="DLQ_PROCESS",
        meaning="what PostgreSQL calls the process's sessions (`application_name`)",
        default="dlqconsole",
    ),
)

HANDLING: tuple[Row, ...] = (
    Text(name="DLQ_HANDLERS", meaning="modules with your handlers, comma separated", readers=WORK),
    Text(name="DLQ_REPORTS", meaning="modules with your daily reports, comma separated", readers=WORK),
    Text(
        name="DLQ_REPORT_AT",
        meaning="when the reports of days that are over are computed, every day, like `06:00 Europe/Berlin`"
        " (without a zone: UTC); `off`: never by itself",
        default="00:30 UTC",
        check=TimeOfDay.parse,
    ),
    Text(
        name="DLQ_LOOKUPS_DIR",
        meaning="where the lookup files of handlers are, unless a handler says it",
        default=".",
        readers=WORK,
    ),
    Number(
        name="DLQ_MAX_PAYLOAD_BYTES",
        meaning="larger payloads are quarantined by whoever takes them in: consumers and ingest",
        default=MEBIBYTE,
        low=1,
        high=256 * MEBIBYTE,
        unit="bytes",
        readers=WORK,
    ),
    # a quarter of the bytes, which no payload of so many bytes can reach: the bytes are what counts, until
    # somebody allows more of them
    Number(
        name="DLQ_MAX_PAYLOAD_KEYS",
        meaning="payloads with more keys, in all their objects together, are quarantined",
        default=MEBIBYTE // 4,
        low=1,
        high=10_000_000,
        unit="keys",
        readers=WORK,
    ),
    Number(
        name="DLQ_MAX_RECORD_BYTES",
        meaning="a handler that returns a larger record, as JSON, has failed with it: `RecordTooLarge`",
        default=MEBIBYTE,
        low=1,
        high=128 * MEBIBYTE,
        unit="bytes",
        readers=WORK,
    ),
    Number(
        name="DLQ_HANDLER_TIMEOUT",
        meaning="how long one event may take",
        default=30,
        low=1,
        high=DAY,
        unit="seconds",
        readers=WORK,
    ),
    Text(
        name="DLQ_HANDLER_ISOLATION",
        meaning="`process`: consumers and workers run handlers in processes of their own, which may hang or"
        " die; `none`: in theirs, which saves 75 to 350 microseconds of processor time an event",
        default="process",
        choices=("process", "none"),
    ),
    Number(
        name="DLQ_HANDLER_MEMORY",
        meaning="how much memory a process may need for its handlers; 0: no limit",
        default=1024,
        low=0,
        high=1024 * 1024,
        unit="MiB",
        readers=WORK,
    ),
    Number(
        name="DLQ_HANDLER_CALLS",
        meaning="events after which a handlers' process is replaced; 0: never for their number",
        default=100_000,
        low=0,
        high=1_000_000_000,
        unit="events",
    ),
    Number(
        name="DLQ_BREAKER_FAILURES",
        meaning="a breaker opens once so many more first attempts failed, in ways that say the other side is"
        " away, than `DLQ_BREAKER_SHARE` allows; 0: never ([docs/retries.md](docs/retries.md#breaker))",
        default=20,
        low=0,
        high=1_000_000,
        readers=WORK,
    ),
    Number(
        name="DLQ_BREAKER_SHARE",
        meaning="the share of such failures that a breaker bears for ever",
        default=50,
        low=1,
        high=99,
        unit="percent",
        readers=WORK,
    ),
    Number(
        name="DLQ_BREAKER_SUCCESSES",
        meaning="a breaker closes after so many runs in a row that the other side answered",
        default=3,
        low=1,
        high=1_000,
        readers=WORK,
    ),
    Number(
        name="DLQ_BREAKER_FIRST_PAUSE",
        meaning="how long an open breaker waits before one run tries; then twice as long each time",
        default=5,
        low=1,
        high=3_600,
        unit="seconds",
        readers=WORK,
    ),
    Number(
        name="DLQ_BREAKER_LONGEST_PAUSE",
        meaning="the longest wait between two such runs",
        default=60,
        low=1,
        high=DAY,
        unit="seconds",
        readers=WORK,
    ),
)

# The names and defaults of the design this system grew from.
SCHEDULE: tuple[Row, ...] = (
    Switch(name="DLQ_RETRY_ENABLED", meaning="the schedule", default=True),
    Number(
        name="DLQ_RETRY_FIXED_RATE",
        meaning="from one scheduled run to the next",
        default=21_600_000,
        low=1_000,
        high=31 * DAY * 1_000,
        unit="milliseconds",
    ),
    Number(
        name="DLQ_RETRY_BATCH_SIZE",
        meaning="dead letters of one lane that a worker of the schedule claims at once, at most",
        default=50,
        low=1,
        high=10_000,
    ),
    Number(
        name="DLQ_RETRY_PARALLEL",
        meaning="handlers that one worker of the schedule runs at once",
        default=4,
        low=1,
        high=256,
    ),
    Number(
        name="DLQ_RETRY_GRACE",
        meaning="how long a worker of the schedule that has to stop waits for the handlers that run",
        default=10,
        low=0,
        high=DAY,
        unit="seconds",
    ),
    Number(
        name="DLQ_RETRY_MAX_RETRIES",
        meaning="so many failed tries in all, those on its queue included; then EXHAUSTED",
        default=240,
        low=0,
        high=1_000_000,
        readers=WORK,
    ),
    Number(
        name="DLQ_RETRY_TIME_BUDGET",
        meaning="how long one run may drain",
        default=240,
        low=1,
        high=DAY,
        unit="seconds",
    ),
    Number(
        name="DLQ_RETRY_BACKOFF_BASE",
        meaning="the wait after the first failed retry, doubled each time, with full jitter",
        default=60,
        low=1,
        high=DAY,
        unit="seconds",
        readers=WORK,
    ),
    Number(
        name="DLQ_RETRY_BACKOFF_CAP",
        meaning="the longest wait",
        default=21_600,
        low=1,
        high=31 * DAY,
        unit="seconds",
        readers=WORK,
    ),
    Text(
        name="DLQ_LOCK_TIME",
        meaning="whose clock the schedule's lock goes by: `client` only where all of a Java fleet's do",
        default="database",
        choices=("database", "client"),
    ),
    Number(
        name="DLQ_LEASE_SECONDS",
        meaning="how long a claim of the schedule holds, unless extended: then a dead worker's are free",
        default=20,
        low=1,
        high=DAY,
        unit="seconds",
    ),
    Switch(
        name="DLQ_PACE_ENABLED",
        meaning="retries and revivals slow down by themselves as they come back or handlers slow down",
        default=True,
        readers=WORK,
    ),
    Number(
        name="DLQ_PACE_FLOOR",
        meaning="the slowest that a failure group is slowed to, where all of it comes back",
        default=60,
        low=1,
        high=60_000_000,
        unit="events a minute",
        readers=WORK,
    ),
    Number(
        name="DLQ_PACE_CEILING",
        meaning="a failure group that was slowed, and can do so much again, is not held back any more",
        default=30_000,
        low=1,
        high=60_000_000,
        unit="events a minute",
        readers=WORK,
    ),
    Number(
        name="DLQ_PACE_COME_BACK",
        meaning="when more than so much of what is tried again fails again, its failure group is slowed",
        default=20,
        low=1,
        high=100,
        unit="percent",
        readers=WORK,
    ),
)

OPERATIONS: tuple[Row, ...] = (
    Number(
        name="DLQ_OPERATION_PAGE",
        meaning="what one commit of an operation changes",
        default=2_000,
        low=1,
        high=50_000,
        unit="rows",
    ),
    Number(
        name="DLQ_OPERATION_LEASE_SECONDS",
        meaning="how long after a crash another worker takes an operation over",
        default=20,
        low=2,
        high=3_600,
        unit="seconds",
    ),
    Number(
        name="DLQ_FOUR_EYES_ABOVE",
        meaning="what one person may change alone",
        default=1_000,
        low=0,
        high=1_000_000_000,
        unit="items",
    ),
    Number(
        name="DLQ_APPROVAL_SECONDS",
        meaning="how long a request waits for a second person",
        default=3_600,
        low=10,
        high=31 * DAY,
        unit="seconds",
    ),
    Number(
        name="DLQ_COME_BACKS",
        meaning="what failed so often again after revivals goes to a person: the schedule leaves it alone, a"
        " revive of many skips it; 0: never",
        default=5,
        low=0,
        high=1_000_000,
    ),
    Number(
        name="DLQ_REHEARSAL_HOURS",
        meaning="how long a revive can go by a rehearsal; later it has to be rehearsed again",
        default=24,
        low=1,
        high=8_760,
        unit="hours",
    ),
    Text(
        name="DLQ_TOKEN",
        meaning="your personal token, for commands: [docs/security.md](docs/security.md)",
        shown_default="none",
        secret=True,
    ),
    Number(
        name="DLQ_UNDO_SECONDS",
        meaning="the undo window that the console proposes",
        default=30,
        low=0,
        high=DAY,
        unit="seconds",
    ),
)

KEEPING: tuple[Row, ...] = (
    Switch(
        name="DLQ_MASKING",
        meaning="personal data is masked on every page until an operator reveals one dead letter,"
        " with a reason",
        default=True,
    ),
    Words(
        name="DLQ_MASKED_KEYS",
        meaning="keys of your own whose values are masked, comma separated",
        readers=WORK,
    ),
    Number(
        name="DLQ_EXPORT_DAYS",
        meaning="how long an export's file is kept",
        default=7,
        low=1,
        high=3_650,
        unit="days",
    ),
    Number(
        name="DLQ_SAMPLE_ONE_IN",
        meaning="of so many successes of an event type one input is kept as a sample, beside the first 10 of"
        " each minute; 0: none: [docs/insight.md](docs/insight.md)",
        default=200,
        low=0,
        high=1_000_000,
        readers=WORK,
    ),
    Switch(
        name="DLQ_SAMPLE_MASKED",
        meaning="personal data in samples is masked before it is stored, for good; false: as it came",
        default=True,
        readers=WORK,
    ),
    Number(
        name="DLQ_SAMPLE_PER_DAY",
        meaning="so many samples of an event type and day are kept at most",
        default=2_000,
        low=1,
        high=100_000,
    ),
    Number(
        name="DLQ_SAMPLE_DAYS",
        meaning="how long samples are kept",
        default=14,
        low=1,
        high=3_650,
        unit="days",
    ),
    Number(
        name="DLQ_RETENTION_DAYS",
        meaning="how long what is DISCARDED or SUCCEEDED is kept before it is purged; 0: kept for ever",
        default=0,
        low=0,
        high=36_500,
        unit="days",
    ),
    Number(
        name="DLQ_RECEIPT_DAYS",
        meaning="how long after its end an operation keeps what became of each item; its numbers and audit"
        " entries stay; 0: for ever",
        default=180,
        low=0,
        high=36_500,
        unit="days",
    ),
    Number(
        name="DLQ_RUN_DAYS",
        meaning="how long the row and the log of a pipeline run are kept; 0: for ever",
        default=180,
        low=0,
        high=36_500,
        unit="days",
    ),
    Number(
        name="DLQ_ATTEMPTS_DAYS",
        meaning="how long failed tries of a message are kept that never became a dead letter; 0: for ever",
        default=30,
        low=0,
        high=36_500,
        unit="days",
    ),
)

ARCHIVE: tuple[Row, ...] = (
    Number(
        name="DLQ_ARCHIVE_AFTER_DAYS",
        meaning="what is DISCARDED or SUCCEEDED and unchanged for so long goes into the archive; 0: never",
        default=90,
        low=0,
        high=36_500,
        unit="days",
        readers=WORK,
    ),
    Number(
        name="DLQ_ARCHIVE_RECORDS_AFTER_DAYS",
        meaning="so long after it was made a record of a handler goes into the archive; 0: never",
        default=0,
        low=0,
        high=36_500,
        unit="days",
        readers=SPARK,
    ),
    Number(
        name="DLQ_ARCHIVE_KEEP_DAYS",
        meaning="how long a file of the archive is kept; 0: for ever",
        default=0,
        low=0,
        high=36_500,
        unit="days",
        readers=SPARK,
    ),
    Text(
        name="DLQ_ARCHIVE_DIR",
        meaning="where the archive's files are: the same folder for web and pipeline",
        shown_default="`archive` in `DLQ_DATA_DIR`",
        readers=WORK,
    ),
)

PIPELINE: tuple[Row, ...] = (
    Text(
        name="SPARK_MASTER",
        meaning="where the pipeline runs: `local[2]`, `spark://host:7077`, `yarn`, `k8s://…`",
        default="local[*]",
        check=check_spark_master,
        readers=SPARK,
    ),
    Text(
        name="SPARK_DRIVER_MEMORY",
        meaning="memory of the pipeline's Java process",
        default="1g",
        readers=SPARK,
    ),
    Number(
        name="DLQ_PIPELINE_MEMORY",
        meaning="memory for all runs that the console starts on one machine: what does not fit in waits",
        default=3_072,
        low=256,
        high=16_777_216,
        unit="MiB",
    ),
    Words(
        name="DLQ_INGEST_FOLDERS",
        meaning="folders from which the console may start an ingest, comma separated; none: it offers none",
    ),
)

DEMONSTRATION: tuple[Row, ...] = (
    Number(
        name="PORT",
        meaning="where the demo's console answers",
        default=8_000,
        low=1,
        high=65_535,
        readers=DEMO,
    ),
    Text(
        name="DLQ_DATA_DIR",
        meaning="where the demo and the pipeline keep their files",
        shown_default="`./.data`",
        readers=WORK | DEMO,
    ),
    Text(
        name="DLQ_DEMO_PASSWORD",
        meaning="of the demo's users",
        shown_default="random, kept",
        readers=DEMO,
        secret=True,
    ),
    Text(
        name="DLQ_PG_HOME",
        meaning="folder whose `bin` holds the PostgreSQL that demo and tests run",
        shown_default="the one from PyPI",
        readers=DEMO,
    ),
    Text(
        name="DLQ_VALKEY_SERVER",
        meaning="the Valkey or Redis program that demo and tests run",
        shown_default="the one from PyPI",
        readers=DEMO,
    ),
)

TABLE: tuple[Row, ...] = (
    *SERVERS,
    *WEB,
    *HANDLING,
    *SCHEDULE,
    *OPERATIONS,
    *KEEPING,
    *ARCHIVE,
    *PIPELINE,
    *DEMONSTRATION,
)
# of two numbers the first may not be above the second
IN_ORDER = (
    ("DLQ_RETRY_BACKOFF_BASE", "DLQ_RETRY_BACKOFF_CAP"),
    ("DLQ_PACE_FLOOR", "DLQ_PACE_CEILING"),
    ("DLQ_BREAKER_FIRST_PAUSE", "DLQ_BREAKER_LONGEST_PAUSE"),
)
BY_NAME = {row.name: row for row in TABLE}
# of the secrets those that no process of the pipeline is handed: its handlers, and Spark's workers, need none
NOT_THE_PIPELINES = frozenset(row.name for row in TABLE if row.secret and Reader.PIPELINE not in row.readers)
