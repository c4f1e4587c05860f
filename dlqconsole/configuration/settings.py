"""The settings: every name that a process reads from the environment, with its type, bounds and meaning.

A field is named as in the environment. `docs/settings.md` holds the table of these fields. Features bring
more: `AllSettings` has them, too.
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    InstanceOf,
    SecretStr,
    ValidationInfo,
    create_model,
    field_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from . import checks
from .addresses import MailServer, MysqlAddress, RabbitmqAddress, read_brokers, read_properties
from .fields import CENTURY, DAY, MEBIBYTE, number, setting, split
from .installed_apps import FEATURES
from .time_of_day import TimeOfDay
from .trusted_proxies import TrustedProxies

Words = Annotated[list[str], NoDecode, BeforeValidator(split)]
PostgresUrl = Annotated[SecretStr, AfterValidator(checks.postgres_url)]
RedisUrl = Annotated[SecretStr, AfterValidator(checks.redis_url)]
MysqlUrl = Annotated[SecretStr, AfterValidator(checks.readable_secret(MysqlAddress.from_url))]
TraceTemplate = Annotated[str, AfterValidator(checks.trace_template)]
SourceTemplate = Annotated[str, AfterValidator(checks.source_template)]
WebUrl = Annotated[str, AfterValidator(checks.web_address)]
RabbitmqUrl = Annotated[SecretStr, AfterValidator(checks.readable_secret(RabbitmqAddress.from_url))]
MailUrl = Annotated[SecretStr, AfterValidator(checks.readable_secret(MailServer.from_url))]
CeleryBrokers = Annotated[SecretStr, AfterValidator(checks.readable_secret(read_brokers))]
PropertiesFile = Annotated[str, AfterValidator(checks.readable(read_properties))]
DailyTime = Annotated[str, AfterValidator(checks.readable(TimeOfDay.parse))]
Proxies = Annotated[InstanceOf[TrustedProxies], NoDecode, BeforeValidator(TrustedProxies.parse)]
SparkMaster = Annotated[str, AfterValidator(checks.spark_master)]
Origins = Annotated[Words, AfterValidator(checks.origins)]
Folders = Annotated[Words, AfterValidator(checks.folders)]
Token = Annotated[SecretStr, AfterValidator(checks.token)]
JavaMemory = Annotated[str, AfterValidator(checks.readable(checks.read_memory))]
SchemaName = Annotated[str, AfterValidator(checks.schema_name)]
LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]


class Settings(BaseSettings):
    """The checked settings of one process, without those of the features."""

    model_config = SettingsConfigDict(
        case_sensitive=True,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
        validate_default=False,
    )

    # the schema of the accounts, where that is another: a Django project says it (hosting/completing.py)
    DLQ_USERS_SCHEMA: ClassVar[str] = ""

    # Servers
    DATABASE_URL: PostgresUrl = setting(..., "PostgreSQL 15 or newer, `postgres://user@host/database`")
    DLQ_DIRECT_DATABASE_URL: PostgresUrl = setting(
        SecretStr(""),
        "PostgreSQL's own address, if `DATABASE_URL` is a pooler's. Consumers, `migrate` and the pipeline use"
        " it: [scaling](scaling.md#pgbouncer)",
        "`DATABASE_URL`",
    )
    DLQ_SCHEMA: SchemaName = setting(
        "public", "the schema of PostgreSQL for all tables, so that they may stand beside others'"
    )
    DLQ_DATABASE_POOL: int = number(
        0,
        0,
        1_000,
        "connections that the threads of one web process share; 0: one connection for each thread",
    )
    REDIS_URL: RedisUrl = setting(
        SecretStr(""), "Redis or Valkey, for Celery's workers. Without it wake-ups go through PostgreSQL"
    )
    DLQ_MYSQL_URL: MysqlUrl = setting(
        SecretStr(""), "MySQL or MariaDB with queues to attach: [MySQL queues](queue-mysql.md)"
    )
    DLQ_RABBITMQ_URL: RabbitmqUrl = setting(
        SecretStr(""), "RabbitMQ with dead-letter queues to attach: [RabbitMQ](queue-rabbitmq.md)"
    )
    DLQ_RABBITMQ_MANAGEMENT: WebUrl = setting(
        "",
        "of RabbitMQ's management API, which says where queues dead-letter to: `https://broker:15671`. Empty:"
        " port 15672 of the same host, 15671 with `amqps`",
    )
    DLQ_CELERY_BROKERS: CeleryBrokers = setting(
        SecretStr(""),
        "brokers of Celery applications whose tasks can be revived, `shop=redis://…`, with spaces between:"
        " [Celery](celery.md)",
    )
    DLQ_KAFKA_SERVERS: str = setting(
        "", "brokers of the Kafka with topics to attach, comma separated: [Kafka topics](queue-kafka.md)"
    )
    DLQ_KAFKA_CONFIG: PropertiesFile = setting(
        "", "a properties file for Kafka's clients, with `security.protocol` and the like"
    )

    DLQ_MAIL_URL: MailUrl = setting(
        SecretStr("smtp://localhost"),
        "the mail server, and the sender: `smtp+tls://user:password@host:587?from=dlq@example.org`,"
        " [reports by mail](pipeline.md#by-mail). In a Django project of yours its own settings count",
    )

    # Web
    SECRET_KEY: SecretStr = setting(
        ..., "Django's secret: 32 random characters or more, the same for all processes"
    )
    ALLOWED_HOSTS: Words = setting(
        ["localhost", "127.0.0.1", "[::1]"], "host names that the console answers to, comma separated"
    )
    CSRF_TRUSTED_ORIGINS: Origins = setting(
        [], "origins of a proxy in front, like `https://dlq.example.org`, comma separated"
    )
    DLQ_HTTPS: bool = setting(
        True, "secure cookies, redirect to HTTPS, HSTS. You can turn it off for loopback hosts only"
    )
    DEBUG: bool = setting(
        False, "Django's error pages, which show code and settings. You can use it with loopback hosts only"
    )
    DLQ_TRUSTED_PROXIES: Proxies = setting(
        TrustedProxies(),
        "the number of proxies in front, or their networks, comma separated. The console believes their"
        " `X-Forwarded-For` and `X-Forwarded-Proto`",
        "none",
    )
    DLQ_IDLE_MINUTES: int = number(
        30, 1, 720, "minutes without activity after which a session ends; each ends after 12 hours"
    )
    DLQ_METRICS_TOKEN: Token = setting(
        SecretStr(""),
        "`/metrics` accepts `Authorization: Bearer …` with this token of 16 characters or more, too",
    )
    LOG_LEVEL: LogLevel = setting("INFO", "the lowest level that is logged")

    # Handlers
    DLQ_HANDLERS: str = setting("", "modules with your handlers, comma separated")
    DLQ_REPORTS: str = setting("", "modules with your daily reports, comma separated")
    DLQ_REPORT_AT: DailyTime = setting(
        "00:30 UTC", "the time of day for the reports of past days, like `06:00 Europe/Berlin`; `off`: never"
    )
    DLQ_LOOKUPS_DIR: str = setting(".", "the folder of your handlers' lookup files")
    DLQ_MAX_PAYLOAD_BYTES: int = number(
        MEBIBYTE, 1, 256 * MEBIBYTE, "bytes; consumers and ingest quarantine larger payloads"
    )
    DLQ_HANDLER_TIMEOUT: int = number(30, 1, DAY, "seconds that one event may take")
    DLQ_HANDLER_ISOLATION: Literal["process", "none"] = setting(
        "process",
        "`process`: handlers run in processes of their own, which may hang or die. `none`: they do not",
    )
    DLQ_HANDLER_MEMORY: int = number(
        1024, 0, MEBIBYTE, "MiB of memory that a process may need for its handlers; 0: no limit"
    )
    DLQ_BREAKER_FAILURES: int = number(
        20,
        0,
        1_000_000,
        "failures above the usual share that open a [breaker](retries.md#breaker); 0: none opens",
    )

    # The schedule, with the names and defaults of the design that this system grew from
    DLQ_RETRY_ENABLED: bool = setting(True, "the schedule retries dead letters")
    DLQ_RETRY_FIXED_RATE: int = number(
        21_600_000, 1_000, 31 * DAY * 1_000, "milliseconds from one scheduled run to the next"
    )
    DLQ_RETRY_BATCH_SIZE: int = number(50, 1, 10_000, "dead letters that a worker claims at once, at most")
    DLQ_RETRY_PARALLEL: int = number(4, 1, 256, "handlers that one worker of the schedule runs at once")
    DLQ_RETRY_MAX_RETRIES: int = number(
        240,
        0,
        1_000_000,
        "failed attempts after which a dead letter is EXHAUSTED, those on its queue included",
    )
    DLQ_RETRY_TIME_BUDGET: int = number(240, 1, DAY, "seconds that one scheduled run may take")
    DLQ_RETRY_BACKOFF_BASE: int = number(
        60,
        1,
        DAY,
        "seconds to wait after the first failed retry. The wait doubles each time, with full jitter",
    )
    DLQ_RETRY_BACKOFF_CAP: int = Field(
        21_600, ge=1, le=31 * DAY, description="seconds of the longest wait", validate_default=True
    )
    DLQ_PACE_ENABLED: bool = setting(
        True, "retries and revivals slow down while they fail again, or while handlers get slower"
    )
    DLQ_LEASE_SECONDS: int = number(
        20, 1, 3_600, "seconds after which another worker takes over the work of a dead one"
    )
    DLQ_LOCK_TIME: Literal["database", "client"] = setting(
        "database", "the clock of the schedule's lock. Use `client` only if all of a Java fleet does"
    )

    # Operations
    DLQ_OPERATION_PAGE: int = number(2_000, 1, 50_000, "rows that one commit of an operation changes")
    DLQ_FOUR_EYES_ABOVE: int = number(1_000, 0, 1_000_000_000, "items that one person may change alone")
    DLQ_APPROVAL_SECONDS: int = number(
        3_600, 10, 31 * DAY, "seconds that a request waits for a second person"
    )
    DLQ_COME_BACKS: int = number(
        5, 0, 1_000_000, "failed revivals after which automatic retries stop; 0: they never stop"
    )
    DLQ_TOKEN: SecretStr = setting(
        SecretStr(""), "your personal token, for commands: [security](security.md)"
    )

    # Masking and storage
    DLQ_MASKING: bool = setting(
        True, "pages mask personal data until an operator reveals one dead letter, with a reason"
    )
    DLQ_MASKED_KEYS: Words = setting([], "your own keys with values to mask, comma separated")
    DLQ_TRACE_URL: TraceTemplate = setting(
        "", "a dead letter's link to its trace: `https://jaeger.example.org/trace/{trace_id}`"
    )
    DLQ_SOURCE_URL: SourceTemplate = setting(
        "",
        "a stack trace's link to your code: the root of your paths in it, and an address, such as"
        " `/app/=https://git.example.org/shop/blob/main/{path}#L{line}`",
    )
    DLQ_RETENTION_DAYS: int = number(
        0, 0, CENTURY, "days until a DISCARDED or SUCCEEDED dead letter is purged; 0: never"
    )
    DLQ_RECEIPT_DAYS: int = number(
        180, 0, CENTURY, "days that a finished operation keeps the outcome of each item; 0: for ever"
    )

    # The pipeline
    SPARK_MASTER: SparkMaster = setting(
        "local[*]", "where the pipeline runs: `local[2]`, `spark://host:7077`, `yarn`, `k8s://…`"
    )
    SPARK_DRIVER_MEMORY: JavaMemory = setting("1g", "memory of the pipeline's Java process")
    DLQ_PIPELINE_MEMORY: int = number(
        3_072, 256, 16 * MEBIBYTE, "MiB of memory for all runs that the console starts on one machine"
    )
    DLQ_INGEST_FOLDERS: Folders = setting(
        [], "whole paths of folders from which the console may start an ingest, comma separated"
    )
    DLQ_DATA_DIR: str = setting("", "the folder for the files of the demo and of the pipeline", "`./.data`")

    @field_validator("SECRET_KEY")
    @classmethod
    def _secret_key(cls, value: SecretStr) -> SecretStr:
        return checks.strong(value)

    @field_validator("DLQ_HTTPS", "DEBUG")
    @classmethod
    def _safe_in_public(cls, value: bool, info: ValidationInfo) -> bool:
        return checks.safe_in_public(
            value, info.field_name == "DLQ_HTTPS", info.data.get("ALLOWED_HOSTS", [])
        )

    @field_validator("DLQ_RETRY_BACKOFF_CAP")
    @classmethod
    def _not_below_base(cls, value: int, info: ValidationInfo) -> int:
        if value < info.data.get("DLQ_RETRY_BACKOFF_BASE", 0):
            raise ValueError("It must not be below DLQ_RETRY_BACKOFF_BASE")
        return value

    def plain(self, without: Sequence[str] = ()) -> dict[str, Any]:
        """The values by name, with the secrets as plain text."""
        return {name: _plain(getattr(self, name)) for name in type(self).model_fields if name not in without}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value.get_secret_value() if isinstance(value, SecretStr) else value


def _with_features() -> type[Settings]:
    """Return the settings with those of the features: ``FeatureSettings`` in a feature's ``settings.py``."""
    modules = [f"{feature}.settings" for feature in FEATURES]
    brought = [import_module(module).FeatureSettings for module in modules if find_spec(module)]
    return create_model("Settings", __base__=(*reversed(brought), Settings))


AllSettings = _with_features()
FIELDS = AllSettings.model_fields
NAMES = frozenset(FIELDS)
SECRETS = frozenset(
    {name for name, field in FIELDS.items() if "SecretStr" in str(field.annotation)} | {"DLQ_DEMO_PASSWORD"}
)
# no process of the pipeline gets these: its handlers, and Spark's workers, need none
NOT_THE_PIPELINES = SECRETS - {"DATABASE_URL", "DLQ_DIRECT_DATABASE_URL"}
