"""A Kafka client's properties file, as Kafka's own tools read it: ``name=value``, a line each."""

from pathlib import Path

EXAMPLE = "security.protocol=SASL_SSL"


def read_properties(path: str) -> dict[str, str]:
    """The properties in the file; none for no path. Raises ValueError, whose sentence never holds a value."""
    if not path:
        return {}
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"The file cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ValueError("The file is not text in UTF-8.") from None
    return dict(_property(*line) for line in enumerate(text.splitlines(), start=1) if _says(line[1]))


def _says(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(("#", "!"))


def _property(number: int, line: str) -> tuple[str, str]:
    name, equals, value = line.partition("=")
    if not equals or not name.strip():
        raise ValueError(f"Its line {number} is not a property like {EXAMPLE}.")
    return name.strip(), value.strip()
